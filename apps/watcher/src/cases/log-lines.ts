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
import type { ReadLine } from "./read-attempt.ts";

const chunkBytes = 4 * 1024 * 1024;
const clockBytes = 200;

/** @throws what opening or reading the file throws. */
export function* linesOfFile(path: string, from: Instant): Generator<ReadLine> {
  const file = openSync(path, "r");
  try {
    let [start, at] = [0, from];
    for (;;) {
      const buffer = new Uint8Array(chunkBytes);
      const bytes = readSync(file, buffer, 0, chunkBytes, start);
      const places: [from: number, to: number, isCut: boolean][] = [];
      let next = eachLine(buffer, bytes, (begin, end, isCut) => places.push([begin, end, isCut]) > 0);
      if (bytes < chunkBytes && next < bytes) {
        places.push([next, bytes, false]); // The last line may have no end.
        next = bytes;
      }
      for (const [begin, end, isCut] of places) {
        const head = Buffer.from(buffer.buffer, begin, Math.min(end - begin, clockBytes)).toString("utf8");
        at = Math.max(at + 1, clockIn(head) ?? 0);
        yield { at, bytes: buffer.subarray(begin, end), offset: start + begin, path, isCut };
      }
      if (bytes < chunkBytes) return;
      start += next;
    }
  } finally {
    closeSync(file);
  }
}
