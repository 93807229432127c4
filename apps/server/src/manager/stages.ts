/**
 * stages: the three things that may be known of a recovery, and when each part of it was first known.
 *
 * In the loop   records → **stages, times** → Explain, figures
 * Pure, total
 * Keeps         invariant 5: *scheduler recovered*, *training resumed*, *training completed* are never inferred from
 *               each other; what has not happened is absent.
 */
import type { RecoveryTimes } from "@reprise/core/figures/recovery.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { SchedulerAction } from "@reprise/core/sequence/sequence.ts";
import { present } from "@reprise/protocol/wire/check.ts";
import type { RecoverySequence } from "./sequence/recovery-sequence.ts";
import type { AttemptStoryRecord } from "./story-store.ts";

export interface Stages {
  readonly schedulerRecoveredAt?: Instant;
  readonly trainingResumedAt?: Instant;
  readonly resumedFromStep?: number;
  readonly trainingCompletedAt?: Instant;
}

/** @param after The attempts that came after this one, oldest first. */
export function stagesOf(story: AttemptStoryRecord, after: readonly AttemptStoryRecord[]): Stages {
  const last = story.advice.at(-1);
  const successor = after[0];
  const completed = after.find((a) => a.attempt.status === "COMPLETED");
  return {
    ...(last?.desired === "RESTARTED" && last.status.disposition === "CONVERGED"
      ? { schedulerRecoveredAt: last.status.observedAt }
      : {}),
    ...(successor?.progress.resumedAt === undefined ? {} : { trainingResumedAt: successor.progress.resumedAt }),
    ...(successor?.progress.resumedFromStep === undefined
      ? {}
      : { resumedFromStep: successor.progress.resumedFromStep }),
    ...(completed?.attempt.endedAt === undefined ? {} : { trainingCompletedAt: completed.attempt.endedAt }),
  };
}

/**
 * @param sequences Of the attempt: what whoever carries it out says, where it reports no steps.
 * @returns         Undefined: nothing was advised, or not for an issue.
 */
export function timesOf(
  story: AttemptStoryRecord,
  after: readonly AttemptStoryRecord[],
  sequences: readonly RecoverySequence[],
): RecoveryTimes | undefined {
  const [first] = story.advice;
  const last = story.advice.at(-1);
  const rootAt = first?.issues[0]?.detectedAt;
  if (first === undefined || rootAt === undefined) return undefined;
  const ended = (...actions: readonly string[]) =>
    earliest(story.steps.filter((s) => actions.includes(s.action) && s.outcome === "done").map((s) => s.endedAt));
  const milestones = sequences.flatMap((sequence) => sequence.milestones);
  const completed = (action: SchedulerAction) =>
    earliest(milestones.filter((m) => m.action === action).map((m) => m.completedAt));
  return {
    rootAt,
    decidedAt: first.createdAt,
    ...present({
      detectedAt: earliest(story.signals.filter((s) => s.at === rootAt).map((s) => s.recordedAt)),
      actedAt: ended("requeue-hold") ?? ended("cancel") ?? completed("SLURM_REQUEUE_HOLD") ?? completed("SLURM_CANCEL"),
      releasedAt: ended("release", "watchdog-release") ?? completed("SLURM_RELEASE"),
      runningAt: after[0]?.attempt.startedAt,
      resumedAt: after[0]?.progress.resumedAt,
      convergedAt: last?.status.disposition === "CONVERGED" ? last.status.observedAt : undefined,
    }),
  };
}

function earliest(times: readonly (Instant | undefined)[]): Instant | undefined {
  const known = times.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
