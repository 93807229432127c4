/**
 * matcher: which signatures a line bears.
 *
 * In the loop   bytes of a line → automaton → **regular expressions** → Found
 * Takes         raw bytes; nothing is decoded unless an anchor is in them, and that is one line in hundreds.
 * Gives         at most one Found that says what went wrong and at most one that says how far it came, each the one of
 *               lowest precedence: a line that bears both `uncorrectable ECC` and `NCCL watchdog` is about the memory.
 * Pure          same bytes, same answer. A port: the same answers may come from a worker thread.
 * Bound         a regular expression sees at most `confirmBytesMax` bytes, around the first anchor.
 */
import { createAutomaton } from "./automaton.ts";
import { textOf } from "./line-text.ts";
import { captureName } from "./parse-pack.ts";
import type { Signature } from "./signature.ts";

export interface Found {
  readonly signature: Signature;
  readonly captures: Readonly<Record<string, string>>;
}

export interface Match {
  readonly text: string;
  readonly found: readonly Found[];
  /** A Python traceback begins here; what stands before it stands before each of its lines. */
  readonly tracebackPrefix?: string;
}

export interface Matcher {
  /** @returns undefined for the many lines that say nothing. */
  match(bytes: Uint8Array, from: number, to: number): Match | undefined;
  matchText(text: string): readonly Found[];
  /** The last line of a traceback, without what stands before it. Signatures of ordinary lines go first. */
  matchTracebackEnd(text: string): Found | undefined;
}

const confirmBytesMax = 16_384;
const tracebackHeader = "Traceback (most recent call last):";
/** A colour may stand inside an anchor: then only the cleaned text can tell. */
const escape = "\u001b";

export function createMatcher(signatures: readonly Signature[]): Matcher {
  const inOrder = signatures.toSorted((a, b) => a.precedence - b.precedence);
  const ofLines = inOrder.filter((s) => s.where === "line");
  const ofTracebacks = inOrder.filter((s) => s.where === "traceback-end");
  const anchors = [escape, tracebackHeader, ...new Set(ofLines.flatMap((s) => s.anchors))];
  const automaton = createAutomaton(anchors.map((a) => new TextEncoder().encode(a)));
  const anchored = anchors.map((a) => ofLines.flatMap((s, index) => (s.anchors.includes(a) ? [index] : [])));

  const confirm = (literals: ReadonlySet<number>, text: string): readonly Found[] => {
    const candidates = new Set<number>();
    for (const literal of literals) for (const index of anchored[literal]!) candidates.add(index);
    return firstOfEach(
      [...candidates].toSorted((a, b) => a - b).map((index) => ofLines[index]!),
      text,
    );
  };
  const matchText = (text: string): readonly Found[] => {
    const bytes = new TextEncoder().encode(text);
    const literals = new Set<number>();
    automaton.scan(bytes, 0, bytes.length, (literal) => literals.add(literal));
    return confirm(literals, text);
  };

  return {
    matchText,
    match(bytes, from, to) {
      let firstHit = -1;
      let literals: Set<number> | undefined;
      automaton.scan(bytes, from, to, (literal, end) => {
        (literals ??= new Set()).add(literal);
        if (firstHit === -1 && literal !== 0) firstHit = end;
      });
      if (literals === undefined) return undefined;
      const text = textAround(bytes, from, to, firstHit === -1 ? from : firstHit);
      const at = text.indexOf(tracebackHeader);
      const found = literals.has(0) ? matchText(text) : confirm(literals, text);
      if (at === -1) return found.length === 0 ? undefined : { text, found };
      return { text, found, tracebackPrefix: text.slice(0, at) };
    },
    matchTracebackEnd(text) {
      return matchText(text).find(({ signature }) => isCause(signature)) ?? firstOfEach(ofTracebacks, text)[0];
    },
  };
}

function textAround(bytes: Uint8Array, from: number, to: number, hit: number): string {
  if (to - from <= confirmBytesMax || hit - from <= confirmBytesMax / 2) {
    return textOf(bytes, from, Math.min(to, from + confirmBytesMax));
  }
  return textOf(bytes, hit - confirmBytesMax / 2, Math.min(to, hit + confirmBytesMax / 2));
}

/** @param candidates In order of precedence. */
function firstOfEach(candidates: readonly Signature[], text: string): readonly Found[] {
  const found: Found[] = [];
  for (const signature of candidates) {
    if (found.some((f) => isCause(f.signature) === isCause(signature))) continue;
    const match = signature.expression.exec(text);
    if (match !== null) found.push({ signature, captures: capturesOf(match.groups ?? {}) });
  }
  return found;
}

function capturesOf(groups: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const captures: Record<string, string> = {};
  for (const [group, value] of Object.entries(groups)) if (value !== undefined) captures[captureName(group)] = value;
  return captures;
}

export function isCause({ kind }: Signature): boolean {
  return kind === "crash" || kind === "hang" || kind === "numerics";
}
