/**
 * log-lines: the lines of a log file that nobody watched while it was written.
 *
 * Takes   the file's bytes, a part at a time.
 * Gives   each line with its place; its time is the last clock that a line up to it has shown, and one millisecond more than
 *         the line before where none has.
 * Bound   `chunkBytes` in memory, whatever the size of the file; a longer line is cut as everywhere (`lines.ts`).
 */
import { closeSync, openSync, readSync } from "node:fs";
import type { Instant } from "@reprise/core/nouns.ts";
import { eachLine } from "../lines.ts";
import { clockIn } from "../match/clock.ts";
import { timeOfNodeLine } from "../nodes/node-time.ts";
import type { ReadLine } from "./read-attempt.ts";

const chunkBytes = 4 * 1024 * 1024;
const clockBytes = 200;

/** What a log shows of time, as far as its first `chunkBytes` say. */
export interface Clocks {
  /** The first time that a line shows. Absent: none does. */
  readonly first?: Instant;
  /** Of its lines so many show their time; 0 to 1. */
  readonly share: number;
}

/** @throws what opening or reading the file throws. */
export function clocksOfFile(path: string): Clocks {
  const buffer = Buffer.alloc(chunkBytes);
  const file = openSync(path, "r");
  try {
    let [lines, clocked]: [number, number] = [0, 0];
    let first: Instant | undefined;
    eachLine(buffer, readSync(file, buffer, 0, chunkBytes, 0), (from, to) => {
      const at = clockIn(headOf(buffer, from, to));
      first ??= at;
      if (at !== undefined) clocked++;
      return ++lines > 0;
    });
    return { ...(first === undefined ? {} : { first }), share: lines === 0 ? 0 : clocked / lines };
  } finally {
    closeSync(file);
  }
}

const headOf = (bytes: Uint8Array, from: number, to: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(to - from, clockBytes)).toString("utf8");

/**
 * The lines of a node's own log that show their time, in the order of the file.
 *
 * @param of   Times without a zone are of one zone, the job's log's; `around` gives the year where a line shows none.
 * @param left Called for each line that shows no time: it concerns nobody.
 */
export function* linesOfNode(
  path: string,
  of: { readonly node: string; readonly from: Instant; readonly around: Instant },
  left: () => void,
): Generator<ReadLine> {
  let at = of.from;
  for (const line of linesOfFile(path, 0)) {
    const own = timeOfNodeLine(headOf(line.bytes, 0, line.bytes.length), { zone: "UTC", readAt: of.around });
    if (own === undefined) left();
    else if (own >= of.from) yield { ...line, node: of.node, at: (at = Math.max(at, own)) };
  }
}

/** @throws what opening or reading the file throws. */
export function* linesOfFile(path: string, from: Instant): Generator<ReadLine> {
  const file = openSync(path, "r");
  try {
    let [start, at] = [0, from];
    for (;;) {
      const buffer = Buffer.alloc(chunkBytes);
      const bytes = readSync(file, buffer, 0, chunkBytes, start);
      const places: [from: number, to: number, isCut: boolean][] = [];
      let next = eachLine(buffer, bytes, (begin, end, isCut) => places.push([begin, end, isCut]) > 0);
      if (bytes < chunkBytes && next < bytes) {
        places.push([next, bytes, false]); // The last line may have no end.
        next = bytes;
      }
      for (const [begin, end, isCut] of places) {
        at = Math.max(at + 1, clockIn(headOf(buffer, begin, end)) ?? 0);
        yield { at, bytes: buffer.subarray(begin, end), offset: start + begin, path, isCut };
      }
      if (bytes < chunkBytes) return;
      start += next;
    }
  } finally {
    closeSync(file);
  }
}
