/**
 * landing: what became of the last requeue is written down as soon as it is seen: later the same view could mean another requeue.
 *
 * In the loop   look → **this** → plan; in SAC and in the watchdog
 * Writes        the journal, at most once each of a requeue: that its source leaves only now, where it landed, and that the source is there again.
 */
import type { Instant, SlurmJob } from "@reprise/core/nouns.ts";
import { landingOf, lastRequeue } from "@reprise/core/plan/ownership.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import type { Blindness } from "./blindness.ts";
import type { Journal, StepWithKey } from "./journal.ts";

export interface Sight {
  /** Undefined: not in the view. */
  readonly job: SlurmJob | undefined;
  /** When the view was begun. */
  readonly viewAt: Instant;
  readonly blindness: Blindness;
  /** As old as they were in that view. */
  readonly aged: (steps: readonly StepWithKey[]) => readonly StepWithKey[];
}

export function noteLanding(
  journal: Journal,
  source: Pick<Work, "heimdallJobId" | "attemptIndex">,
  { job, viewAt, blindness, aged }: Sight,
  now: Instant,
): void {
  const steps = aged(journal.stepsOf(source.heimdallJobId));
  const requeue = lastRequeue(steps);
  if (requeue === undefined || job === undefined) return;
  const landing = landingOf(source, job, steps, { viewAt, blindMs: blindness.msSince(requeue.begunAt) });
  if (landing !== undefined) journal.landed(requeue.key, landing, now);
}
