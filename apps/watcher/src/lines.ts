/**
 * lines: where lines begin and end in a run of bytes.
 *
 * Takes         bytes that begin at the start of a line.
 * Gives         each line's place, without its end, empty ones left out. LF, CR LF and a lone CR end a line: a progress bar
 *               is drawn over and over behind CRs and may not see an LF for hours.
 * Gives also    where the first line begins that has no end yet: there the next read starts.
 * Pure
 * Bound         a line of more than `lineBytesMax` is cut there and goes on as another one.
 */
import type { Ends } from "./match/literal-ends.ts";

/** Which of the anchors that were found in a whole chunk stand in one line: those from `first` on, up to `next`. Lent with it. */
export interface LineEnds extends Ends {
  readonly first: number;
  readonly next: number;
}

export interface Line {
  readonly path: string;
  readonly inode: string;
  /** Of the first byte in the file. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** Its place in `bytes`. */
  readonly from: number;
  readonly to: number;
  /** It was read and reported before; only what it teaches counts. */
  readonly isReplay: boolean;
  /** Absent: nobody has looked for any. */
  readonly ends?: LineEnds | undefined;
}

export const lineBytesMax = 1024 * 1024;
/** Of one read: it always sees a line whole. */
export const chunkBytes = 2 * lineBytesMax;
/** What one read goes into. */
export const createChunk = (): Uint8Array => Buffer.alloc(chunkBytes);

/** LF or CR. */
export const isLineEnd = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d;

/**
 * @param line Called with the first byte, the one after the last, and whether the line was cut there; false stops after it.
 * @returns    the start of the next line: the unfinished one, or the one after the stop.
 */
export function eachLine(
  bytes: Uint8Array,
  end: number,
  line: (from: number, to: number, isCut: boolean) => boolean,
): number {
  let from = 0;
  for (let at = 0; at < end; at++) {
    const isCut = !isLineEnd(bytes[at]);
    if (isCut && at - from < lineBytesMax) continue;
    const next = isCut ? at : at + 1;
    const goOn = at === from || line(from, at, isCut);
    from = next;
    if (!goOn) break;
  }
  return from;
}
