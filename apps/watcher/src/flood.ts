/**
 * flood: a log that grows faster than it can be read is sampled, and its tail is still read.
 *
 * In the loop   look → **how much to leave out** → read
 * Gives         where to read on; and, for `noticeForMs` after the last gap, the words that tell of it.
 * Keeps         what was there when reading began, however much, is read whole: only growth during the reading floods. Silence after
 *               a gap is no silence: the steps may have been in it. The position says so (decision 0010).
 * Bound         behind by `behindBytesMax`, it goes on `keptBytes` before the end.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { isLineEnd } from "./lines.ts";
import type { OpenLog } from "./source/source.ts";

const floodBytesPerS = 32 * 1024 * 1024;
const behindBytesMax = 64 * 1024 * 1024;
const keptBytes = 8 * 1024 * 1024;
const measureMs = 1_000;
const noticeForMs = 300_000;

export class Flood {
  private measured: { readonly at: Instant; readonly size: number } | undefined;
  private isFlooding = false;
  private skippedBytes = 0;
  private skippedAt: Instant | undefined;

  /**
   * @param buffer Free to be written to.
   * @returns      where to go on, at the beginning of a line: `offset` unless something must be left out.
   */
  placeIn(now: Instant, log: OpenLog, size: number, offset: number, buffer: Uint8Array): number {
    const from = this.look(now, size, offset);
    if (from === offset) return offset;
    const bytes = log.read(buffer, from);
    return from + buffer.subarray(0, bytes).findIndex(isLineEnd) + 1;
  }

  private look(now: Instant, size: number, offset: number): number {
    this.measured ??= { at: now, size };
    const forMs = now - this.measured.at;
    if (forMs >= measureMs) {
      this.isFlooding = ((size - this.measured.size) / forMs) * 1000 >= floodBytesPerS;
      this.measured = { at: now, size };
    }
    if (!this.isFlooding || size - offset <= behindBytesMax) return offset;
    this.skippedAt = now;
    this.skippedBytes += size - keptBytes - offset;
    return size - keptBytes;
  }

  /** Not empty: parts of the file were not read, and nobody knows what was in them. */
  notice(now: Instant): string | undefined {
    if (this.skippedAt === undefined || now - this.skippedAt >= noticeForMs) return undefined;
    const mebibytes = Math.ceil(this.skippedBytes / 1024 / 1024);
    return `sampled: it grows faster than it can be read, ${mebibytes} MiB were left out`;
  }
}
