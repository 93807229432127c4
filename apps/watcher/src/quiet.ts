/**
 * quiet: whether the file of an attempt that is over has had its last line.
 *
 * Keeps   two looks that are too close prove nothing: other hosts' writes arrive late.
 */
import type { Instant } from "@reprise/core/nouns.ts";

const quietMs = 200;

export class Quiet {
  private began: { readonly size: number; readonly since: Instant } | undefined;

  /** @param size Of the file; negative where there is none to look at. */
  isOver(now: Instant, size: number, forMs = quietMs): boolean {
    if (this.began === undefined || this.began.size !== size) this.began = { size, since: now };
    return now - this.began.since >= forMs;
  }

  end(): void {
    this.began = undefined;
  }
}
