/**
 * replay: reads again, after a restart of the watcher, what teaches where training stood.
 *
 * Takes   the part of a file that was read and reported before.
 * Gives   the lines of its beginning (who is where, what was loaded) and of its last part (the latest step, an open traceback).
 * Bound   `headBytes` and `tailBytes`, whatever the size of the log.
 */
import { eachLine } from "./lines.ts";
import type { OpenLog } from "./source/source.ts";

const headBytes = 256 * 1024;
const tailBytes = 64 * 1024;

/** @param give Called with the offset of each line in the file and its place in the buffer. */
export function replay(
  log: OpenLog,
  buffer: Uint8Array,
  part: { readonly start: number; readonly offset: number },
  give: (offset: number, from: number, to: number) => void,
): void {
  const readPart = (begin: number, end: number) => {
    const bytes = log.read(buffer.subarray(0, end - begin), begin);
    eachLine(buffer, bytes, (from, to) => {
      give(begin + from, from, to);
      return true;
    });
  };
  const headEnd = Math.min(part.offset, part.start + headBytes);
  readPart(part.start, headEnd);
  readPart(Math.max(headEnd, part.offset - tailBytes), part.offset);
}
