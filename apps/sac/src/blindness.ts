/**
 * blindness: when slurmctld did not answer. A hold's age, and the time in which a late command may still land, count only while it
 * answers.
 *
 * Bound   the last `spansMax` spans; what was before the first look is not known, and counts as answered.
 */
import type { Instant } from "@reprise/core/nouns.ts";

const spansMax = 1_000;

export interface Blindness {
  /** Slurm was looked at until now. */
  looked(how: "answered" | "silent", now: Instant): void;
  msSince(since: Instant): number;
}

export function createBlindness(): Blindness {
  const spans: { readonly from: Instant; to: Instant }[] = [];
  let lookedAt: Instant | undefined;
  return {
    looked(how, now) {
      const from = lookedAt ?? now;
      lookedAt = now;
      if (how === "answered") return;
      const last = spans.at(-1);
      if (last !== undefined && last.to >= from) last.to = now;
      else spans.push({ from, to: now });
      if (spans.length > spansMax) spans.shift();
    },
    msSince: (since) => spans.reduce((ms, { from, to }) => ms + Math.max(0, to - Math.max(from, since)), 0),
  };
}
