/**
 * node-clock: a node's own clock beside ours, as far as its lines prove it.
 *
 * Keeps   nobody reads a line before it was written: a line that comes from the future shows how far the node's clock is at least
 *         ahead, and all its times move back by that. One that is behind proves nothing (the line may have been on its way); then lines
 *         seem older than they are, and may concern nobody, but never somebody who came later.
 * Bound   a clock that is further ahead than `limits.nodeClockAheadMaxMs` says nothing at all. What was learnt is forgotten after
 *         `rememberMs`: clocks are mended.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";

const rememberMs = 600_000;

export class NodeClock {
  private aheadMs = 0;
  private learntAt: Instant = Number.NEGATIVE_INFINITY;

  /** @returns the same moment by our clock, never later than now; undefined: this time cannot be believed. */
  ours(at: Instant, now: Instant): Instant | undefined {
    if (at - now > limits.nodeClockAheadMaxMs) return undefined;
    if (now - this.learntAt > rememberMs) this.aheadMs = 0;
    if (at - now >= this.aheadMs) [this.aheadMs, this.learntAt] = [Math.max(0, at - now), now];
    return at - this.aheadMs;
  }
}
