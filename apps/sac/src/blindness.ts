/**
 * blindness: when slurmctld did not answer. A hold's age, and the time in which a late command may still land, count only while it
 * answers.
 *
 * Takes   looks, dated by both clocks: spans are counted by the one that nobody can set. What is asked is a time by the host's clock as
 *         it was at the last look, as `step-ages.ts` tells the times of steps.
 * Keeps   what was known is known to the next process too: a requeue that slurmctld was silent after may be older than whoever asks.
 * Bound   the last `spansMax` spans; what was before the first look, or while no process looked, is not known, and counts as answered.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Silence } from "@reprise/core/watchdog/stranded.ts";
import { type Clock, type Moment, momentOf } from "@reprise/runtime/clock.ts";

const spansMax = 100;

export interface Blindness {
  /** Slurm was looked at until now. */
  looked(how: "answered" | "silent", now: Moment): void;
  msSince(since: Instant): number;
  /** What the next process is to know, by the host's clock as it was at the last look. */
  silences(): readonly Silence[];
}

/** @param before What the process before this one has left. */
export function createBlindness(clock: Pick<Clock, "now" | "elapsed">, before: readonly Silence[] = []): Blindness {
  const begun = momentOf(clock);
  /** By the clock that nobody can set. */
  const spans = before.map(({ from, to }) => ({
    from: begun.after - (begun.at - from),
    to: begun.after - (begun.at - to),
  }));
  let last: Moment | undefined;
  return {
    looked(how, now) {
      const from = last?.after ?? now.after;
      last = now;
      if (how === "answered" || from === now.after) return;
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
    silences() {
      const { at, after } = last ?? begun;
      return spans.map(({ from, to }) => ({ from: at - (after - from), to: at - (after - to) }));
    },
  };
}
