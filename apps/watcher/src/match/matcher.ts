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
import { AnchorSet } from "./anchor-sets.ts";
import { createAutomaton } from "./automaton.ts";
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
const none: readonly Found[] = [];
const tracebackHeader = "Traceback (most recent call last):";
/** A colour may stand inside an anchor: then only the cleaned text can tell. */
const escape = "\u001b";

/** What may be in a line. */
interface Kind {
  /** In order of precedence. */
  readonly candidates: readonly Candidate[];
  readonly hasEscape: boolean;
  readonly hasHeader: boolean;
}

/** A signature, and what is asked about it at each line. */
interface Candidate {
  readonly signature: Signature;
  readonly isCause: boolean;
  /** An expression with ^ means the words, not what a launcher or a logger has put before them. */
  readonly meansWords: boolean;
  /** Its groups, and what they capture. */
  readonly groups: readonly (readonly [group: string, name: string])[];
}

export function createMatcher(signatures: readonly Signature[]): Matcher {
  const inOrder = signatures.toSorted((a, b) => a.precedence - b.precedence);
  const ofLines = inOrder.filter((s) => s.where === "line").map(candidateOf);
  const ofTracebacks = inOrder.filter((s) => s.where === "traceback-end").map(candidateOf);
  const anchors = [escape, tracebackHeader, ...new Set(ofLines.flatMap(({ signature }) => signature.anchors))];
  const automaton = createAutomaton(anchors.map((a) => new TextEncoder().encode(a)));
  const nothing = AnchorSet.empty(automaton.literalsOf, (literals): Kind => {
    const has = new Set(Array.from(literals, (literal) => anchors[literal]!));
    return {
      candidates: ofLines.filter(({ signature }) => signature.anchors.some((anchor) => has.has(anchor))),
      hasEscape: has.has(escape),
      hasHeader: has.has(tracebackHeader),
    };
  });

  const anchorsIn = ({ bytes, from, to, ends }: Bytes) => {
    let set = nothing;
    if (ends === undefined) automaton.scan(bytes, from, to, (state) => void (set = set.with(state)));
    else for (let at = ends.first; at < ends.next; at++) set = set.with(ends.states[at]!);
    return set;
  };
  const firstAnchor = ({ bytes, from, to }: Bytes) => {
    let first: number | undefined;
    automaton.scan(bytes, from, to, (state, end) => {
      if (!automaton.literalsOf(state).includes(anchors.indexOf(escape))) first ??= end;
    });
    return first ?? from;
  };
  const matchText = (text: string): readonly Found[] => {
    const bytes = new TextEncoder().encode(text);
    return firstOfEach(anchorsIn({ bytes, from: 0, to: bytes.length }).what.candidates, text);
  };

  return {
    matchText,
    ends: automaton.ends,
    match(line) {
      const set = anchorsIn(line);
      if (set === nothing) return undefined;
      const { candidates, hasEscape, hasHeader } = set.what;
      const isLong = line.to - line.from > confirmBytesMax;
      const text = textAround(line.bytes, line.from, line.to, isLong ? firstAnchor(line) : line.from);
      const found = hasEscape ? matchText(text) : firstOfEach(candidates, text);
      // A message inside an object is matched by itself: its beginning is not the line's.
      const saysMore =
        found.length > 0 || ((hasHeader || hasEscape) && text.includes(tracebackHeader)) || text.includes('{"');
      return saysMore ? { text, found } : undefined;
    },
    tracebackAt(text) {
      const at = text.indexOf(tracebackHeader);
      // A data loader hands on its worker's as "Original Traceback".
      return at === -1 ? undefined : text.slice(0, at).replace(/Original $/, "");
    },
    matchTracebackEnd(text) {
      return matchText(text).find(({ signature }) => isCause(signature)) ?? firstOfEach(ofTracebacks, text)[0];
    },
  };
}

/** @param hit Of a long text the part around it is enough. */
function textAround(bytes: Uint8Array, from: number, to: number, hit: number): string {
  if (to - from <= confirmBytesMax || hit - from <= confirmBytesMax / 2) {
    return textOf(bytes, from, Math.min(to, from + confirmBytesMax));
  }
  return textOf(bytes, hit - confirmBytesMax / 2, Math.min(to, hit + confirmBytesMax / 2));
}

function candidateOf(signature: Signature): Candidate {
  const { source } = signature.expression;
  return {
    signature,
    isCause: isCause(signature),
    meansWords: source.includes("^"),
    groups: Array.from(
      source.matchAll(/\(\?<([A-Za-z]\w*)>/g),
      ([, group = ""]) => [group, captureName(group)] as const,
    ),
  };
}

function firstOfEach(candidates: readonly Candidate[], text: string): readonly Found[] {
  if (candidates.length === 0) return none;
  const found: Found[] = [];
  let [hasCause, hasOther] = [false, false];
  let body: string | undefined;
  const bodyMatch = ({ signature, meansWords }: Candidate) => {
    if (!meansWords) return null;
    body ??= partsOf(text).body;
    return body === text ? null : signature.expression.exec(near(body, signature));
  };
  for (const candidate of candidates) {
    if (candidate.isCause ? hasCause : hasOther) continue;
    const { signature } = candidate;
    const match = signature.expression.exec(near(text, signature)) ?? bodyMatch(candidate);
    if (match === null) continue;
    found.push({ signature, captures: capturesOf(candidate, match.groups) });
    if (candidate.isCause) hasCause = true;
    else hasOther = true;
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

function capturesOf({ groups }: Candidate, matched: RegExpExecArray["groups"] = {}): Readonly<Record<string, string>> {
  const captures: Record<string, string> = {};
  for (const [group, name] of groups) {
    const value = matched[group];
    if (value !== undefined) captures[name] = value;
  }
  return captures;
}
