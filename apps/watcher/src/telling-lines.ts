/**
 * telling-lines: the lines of a chunk in which some anchor stands; the others are never looked at one by one.
 *
 * In the loop   a chunk → anchors in all of it at once → **the lines around them** → attempt-reader
 * Gives         the same lines, cut at the same places, as `eachLine`, but for those that say nothing.
 * Pure
 * Bound         as `lines.ts` has it.
 */
import { eachLine, isLineEnd, type Line, type LineEnds, lineBytesMax } from "./lines.ts";
import type { Ends } from "./match/literal-ends.ts";

/** How a reader says which lines it needs. */
export interface Telling {
  /** Where an anchor ends, rising, and in which state. No anchor has the end of a line in it. */
  readonly ends: (bytes: Uint8Array, from: number, to: number) => Ends;
  /** Asked before each line: every line counts for now (a traceback is open). */
  readonly wantsAll: () => boolean;
}

/** Who reads the lines of a file. */
export interface Reader {
  /** Absent: every line is given. */
  readonly telling?: Telling;
  /** Called for each line; false: enough for this pass, go on after this line at the next one. */
  readonly take: (line: Line) => boolean;
  /** Called with the last line of what was read, whether it tells anything or not. */
  readonly last?: (line: Line) => void;
  /** Called when a file was emptied: what was printed since it was read is lost. */
  readonly emptied?: () => void;
}

/** @returns where the next read begins, and whether the reader has had enough. */
export function giveLines(
  bytes: Uint8Array,
  end: number,
  { telling, take, last }: Reader,
  lineAt: (from: number, to: number, ends?: LineEnds) => Line,
): { readonly next: number; readonly stopped: boolean } {
  let stopped = false;
  const give = (from: number, to: number, ends?: LineEnds) => {
    stopped = !take(lineAt(from, to, ends));
    return !stopped;
  };
  const next =
    telling === undefined
      ? eachLine(bytes, end, (from, to) => give(from, to))
      : eachTellingLine(bytes, end, telling, give);
  if (last !== undefined && next > 0) {
    const to = isLineEnd(bytes[next - 1]) ? next - 1 : next;
    const from = startOfLine(bytes, 0, to);
    if (from < to) last(lineAt(from, to));
  }
  return { next, stopped };
}

/**
 * @param bytes Begin at the start of a line.
 * @param line  Called with the first byte, the one after the last, and the anchors between; false stops after this line.
 * @returns     the start of the next line: the unfinished one, or the one after the stop.
 */
export function eachTellingLine(
  bytes: Uint8Array,
  end: number,
  { ends, wantsAll }: Telling,
  line: (from: number, to: number, ends: LineEnds) => boolean,
): number {
  const whole = endOfWholeLines(bytes, end);
  const { places, states } = ends(bytes, 0, whole);
  let next = 0;
  for (let from = 0; from < whole; ) {
    while (next < places.length && places[next]! <= from) next++;
    if (!wantsAll()) {
      if (next === places.length) return whole;
      from = startOfLine(bytes, from, places[next]! - 1);
    }
    const to = endOfLine(bytes, from, whole);
    const first = next;
    while (next < places.length && places[next]! <= to) next++;
    const goOn = to === from || line(from, to, { places, states, first, next });
    from = to < whole && isLineEnd(bytes[to]) ? to + 1 : to;
    if (!goOn) return from;
  }
  return whole;
}

function endOfWholeLines(bytes: Uint8Array, end: number): number {
  let whole = end;
  while (whole > 0 && !isLineEnd(bytes[whole - 1])) whole--;
  while (end - whole > lineBytesMax) whole += lineBytesMax;
  return whole;
}

/** @param from Some line begins there. */
function startOfLine(bytes: Uint8Array, from: number, at: number): number {
  let start = at;
  while (start > from && !isLineEnd(bytes[start - 1])) start--;
  return start + Math.floor((at - start) / lineBytesMax) * lineBytesMax;
}

function endOfLine(bytes: Uint8Array, from: number, end: number): number {
  const most = Math.min(end, from + lineBytesMax);
  let at = from;
  while (at < most && !isLineEnd(bytes[at])) at++;
  return at;
}
