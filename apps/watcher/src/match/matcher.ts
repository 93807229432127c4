/**
 * matcher: which signatures a line bears.
 *
 * In the loop   bytes of a line → automaton → **regular expressions** → Found
 * Takes         raw bytes; nothing is decoded unless an anchor is in them, and that is one line in hundreds.
 * Gives         at most one Found that says what went wrong and at most one that says how far it came, each the one of
 *               lowest precedence: a line that bears both `uncorrectable ECC` and `NCCL watchdog` is about the memory.
 * Pure          same bytes, same answer. A port: the same answers may come from a worker thread.
 * Bound         `confirmBytesMax` bytes of a line are decoded, around the first anchor; an expression sees `expressionCharsMax`
 *               of them, around its own.
 */
import type { Line } from "../lines.ts";
import { type Automaton, createAutomaton } from "./automaton.ts";
import { textOf } from "./line-text.ts";
import type { Ends } from "./literal-ends.ts";
import { captureName } from "./parse-pack.ts";
import { isCause, type Signature } from "./signature.ts";
import { partsOf } from "./speaker.ts";

export interface Found {
  readonly signature: Signature;
  readonly captures: Readonly<Record<string, string>>;
}

export interface Match {
  readonly text: string;
  readonly found: readonly Found[];
}

/** One line among others; with its anchors, where `ends` has already found them. */
export type Bytes = Pick<Line, "bytes" | "from" | "to" | "ends">;

export interface Matcher {
  /** @returns undefined for the many lines that say nothing. */
  match(line: Bytes): Match | undefined;
  matchText(text: string): readonly Found[];
  /** Where an anchor ends: only the lines around these places can match. */
  readonly ends: (bytes: Uint8Array, from: number, to: number) => Ends;
  /** A Python traceback begins in this line: what stands before it stands before each of its lines. */
  tracebackAt(text: string): string | undefined;
  /** The last line of a traceback, without what stands before it. Signatures of ordinary lines go first. */
  matchTracebackEnd(text: string): Found | undefined;
}

const confirmBytesMax = 16_384;
const expressionCharsMax = 4_096;
const tracebackHeader = "Traceback (most recent call last):";
/** A colour may stand inside an anchor: then only the cleaned text can tell. */
const escape = "\u001b";

export function createMatcher(signatures: readonly Signature[]): Matcher {
  const inOrder = signatures.toSorted((a, b) => a.precedence - b.precedence);
  const ofLines = inOrder.filter((s) => s.where === "line");
  const ofTracebacks = inOrder.filter((s) => s.where === "traceback-end");
  const anchors = [escape, tracebackHeader, ...new Set(ofLines.flatMap((s) => s.anchors))];
  const automaton = createAutomaton(anchors.map((a) => new TextEncoder().encode(a)));
  const ofAnchor = anchors.map((a) => ofLines.filter((s) => s.anchors.includes(a)));
  const order = new Map(ofLines.map((s, index) => [s, index]));
  /** An expression with ^ means the words, not what a launcher or a logger has put before them. */
  const meansWords = new Set(signatures.filter((s) => s.expression.source.includes("^")));

  const confirm = (literals: readonly number[], text: string): readonly Found[] => {
    const [first = 0, ...others] = literals;
    if (others.length === 0) return firstOfEach(ofAnchor[first]!, meansWords, text);
    const candidates = [...new Set(literals.flatMap((literal) => ofAnchor[literal]!))];
    return firstOfEach(
      candidates.toSorted((a, b) => order.get(a)! - order.get(b)!),
      meansWords,
      text,
    );
  };
  const matchText = (text: string): readonly Found[] => {
    const bytes = new TextEncoder().encode(text);
    const literals = new Set<number>();
    automaton.scan(bytes, 0, bytes.length, (literal) => literals.add(literal));
    return literals.size === 0 ? [] : confirm([...literals], text);
  };

  return {
    matchText,
    ends: automaton.ends,
    match(line) {
      const { bytes, from, to } = line;
      let firstHit = -1;
      const literals: number[] = [];
      eachAnchor(automaton, line, (literal, end) => {
        if (!literals.includes(literal)) literals.push(literal);
        if (firstHit === -1 && literal !== 0) firstHit = end;
      });
      if (literals.length === 0) return undefined;
      const text = textAround(bytes, from, to, firstHit === -1 ? from : firstHit);
      const found = literals.includes(0) ? matchText(text) : confirm(literals, text);
      // A message inside an object is matched by itself: its beginning is not the line's.
      const saysMore = found.length > 0 || text.includes(tracebackHeader) || text.includes('{"');
      return saysMore ? { text, found } : undefined;
    },
    tracebackAt(text) {
      const at = text.indexOf(tracebackHeader);
      // A data loader hands on its worker's as "Original Traceback".
      return at === -1 ? undefined : text.slice(0, at).replace(/Original $/, "");
    },
    matchTracebackEnd(text) {
      return (
        matchText(text).find(({ signature }) => isCause(signature)) ?? firstOfEach(ofTracebacks, meansWords, text)[0]
      );
    },
  };
}

function eachAnchor(
  automaton: Automaton,
  { bytes, from, to, ends }: Bytes,
  hit: (literal: number, end: number) => void,
): void {
  if (ends === undefined) return automaton.scan(bytes, from, to, hit);
  const { places, states, first, next } = ends;
  for (let at = first; at < next; at++)
    for (const literal of automaton.literalsOf(states[at]!)) hit(literal, places[at]!);
}

function textAround(bytes: Uint8Array, from: number, to: number, hit: number): string {
  if (to - from <= confirmBytesMax || hit - from <= confirmBytesMax / 2) {
    return textOf(bytes, from, Math.min(to, from + confirmBytesMax));
  }
  return textOf(bytes, hit - confirmBytesMax / 2, Math.min(to, hit + confirmBytesMax / 2));
}

/** @param candidates In order of precedence. */
function firstOfEach(
  candidates: readonly Signature[],
  meansWords: ReadonlySet<Signature>,
  text: string,
): readonly Found[] {
  const found: Found[] = [];
  let body: string | undefined;
  const bodyMatch = (signature: Signature) => {
    if (!meansWords.has(signature)) return null;
    body ??= partsOf(text).body;
    return body === text ? null : signature.expression.exec(near(body, signature));
  };
  for (const signature of candidates) {
    if (found.some((f) => isCause(f.signature) === isCause(signature))) continue;
    const match = signature.expression.exec(near(text, signature)) ?? bodyMatch(signature);
    if (match !== null) found.push({ signature, captures: capturesOf(match.groups ?? {}) });
  }
  return found;
}

/** What an expression sees of a long text: the part around its anchor, so that its time is bounded on any line. */
function near(text: string, { anchors }: Signature): string {
  if (text.length <= expressionCharsMax) return text;
  const places = anchors.map((a) => text.indexOf(a)).filter((index) => index !== -1);
  const at = places.length === 0 ? 0 : Math.min(...places);
  const from = Math.max(0, at - expressionCharsMax / 2);
  return text.slice(from, from + expressionCharsMax);
}

function capturesOf(groups: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const captures: Record<string, string> = {};
  for (const group in groups) {
    const value = groups[group];
    if (value !== undefined) captures[captureName(group)] = value;
  }
  return captures;
}
