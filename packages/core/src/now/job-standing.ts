/**
 * job-standing: how one scheduler job stands, in one word, for lists of thousands.
 *
 * Takes         its newest attempt, and what is known of the Advice about it and those before it.
 * Pure, total
 * Keeps         nobody is sent to a job that is still being thought about: `deciding` comes before `stopped`.
 */
import { type Advice, type AttemptRecord, type Instant, isActive } from "../nouns.ts";

/** `running`, `waiting`: covered, and in Slurm. `ended`: completed, cancelled by others, or gone. The rest is said below. */
export const jobStandings = [
  "running",
  "waiting",
  "recovering",
  "deciding",
  "stopped",
  "ended",
  "not-covered",
] as const;
export type JobStanding = (typeof jobStandings)[number];

export interface JobFacts {
  /** The newest one: `latestAttempt`. */
  readonly attempt: Pick<AttemptRecord, "coverage" | "status" | "jmState">;
  /** About that attempt. */
  readonly advice: Pick<Advice, "desired" | "status"> | undefined;
  /** Advice about that attempt or one before it is being carried out. */
  readonly isRecovering: boolean;
  /** More is known of the newest attempt than the last decision about it knew. */
  readonly isUndecided: boolean;
}

export function jobStandingOf({ attempt, advice, isRecovering, isUndecided }: JobFacts): JobStanding {
  const { coverage, status, jmState } = attempt;
  if (coverage.kind === "not-covered") return "not-covered";
  if (isRecovering) return "recovering";
  if (status === "RUNNING") return "running";
  if (status === "PENDING" || jmState === "REQUEUED") return "waiting";
  const wasEnded = advice?.desired === "TERMINATED" && advice.status.disposition === "CONVERGED";
  if (status !== "FAILED" && status !== "STOPPED" && !(status === "CANCELLED" && wasEnded)) return "ended";
  return isUndecided ? "deciding" : "stopped";
}

/** In observe mode nobody carries it out. */
export const isCarriedOut = (advice: Advice, now: Instant): boolean =>
  isActive(advice, now) && advice.status.reason !== "OBSERVE_MODE";
