/**
 * blindness: when slurmctld did not answer. A hold's age, and the time in which a late command may still land, count only while it
 * answers.
 *
 * Takes   looks, dated by both clocks: spans are counted by the one that nobody can set. What is asked is a time by the host's clock as
 *         it was at the last look, as `step-ages.ts` tells the times of steps.
 * Bound   the last `spansMax` spans; what was before the first look is not known, and counts as answered.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Moment } from "@reprise/runtime/clock.ts";

const spansMax = 1_000;

export interface Blindness {
  /** Slurm was looked at until now. */
  looked(how: "answered" | "silent", now: Moment): void;
  msSince(since: Instant): number;
}

export function createBlindness(): Blindness {
  /** By the clock that nobody can set. */
  const spans: { readonly from: number; to: number }[] = [];
  let last: Moment | undefined;
  return {
    looked(how, now) {
      const from = last?.after ?? now.after;
      last = now;
      if (how === "answered") return;
      const open = spans.at(-1);
      if (open !== undefined && open.to >= from) open.to = now.after;
      else spans.push({ from, to: now.after });
      if (spans.length > spansMax) spans.shift();
    },
    msSince(since) {
      if (last === undefined) return 0;
      const after = last.after - (last.at - since);
      return spans.reduce((ms, { from, to }) => ms + Math.max(0, to - Math.max(from, after)), 0);
    },
  };
}
