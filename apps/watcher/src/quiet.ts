/**
 * quiet: whether the file of an attempt that is over has had its last line.
 *
 * Keeps   two looks that are too close prove nothing: other hosts' writes arrive late. Nor do two that a file system answers from its
 *         cache: `openedAnew` asks once more before they are believed.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Look, LogSource, OpenLog } from "./source/source.ts";

const quietMs = 200;
const lostMs = 5_000;

export class Quiet {
  private began: { readonly size: number; readonly since: Instant } | undefined;

  /** It cannot be read: it may come back, but nobody waits for ever for the end of an attempt that is over. */
  isLost(now: Instant): boolean {
    return this.isOver(now, -2, lostMs);
  }

  /** @param size Of the file; negative where there is none to look at. */
  isOver(now: Instant, size: number, forMs = quietMs): boolean {
    if (this.began === undefined || this.began.size !== size) this.began = { size, since: now };
    return now - this.began.since >= forMs;
  }

  end(): void {
    this.began = undefined;
  }
}

/**
 * The size of an open file may come from a cache for seconds; opening it asks the file server (NFS, "close-to-open").
 *
 * @returns the file opened once more, where it shows more than the look did, and `log` is closed; else `log`.
 */
export function openedAnew(source: LogSource, path: string, log: OpenLog, { inode, size }: Look): OpenLog {
  const opened = source.open(path);
  if (opened.kind !== "open") return log;
  const anew = opened.log.look();
  const hasMore = anew.inode === inode && anew.size > size;
  (hasMore ? log : opened.log).close();
  return hasMore ? opened.log : log;
}
