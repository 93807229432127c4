/**
 * stages: the three things that may be known of a recovery, and how long each took.
 *
 * In the loop   records → **stages, seconds** → Explain
 * Pure, total
 * Keeps         invariant 5: *scheduler recovered*, *training resumed*, *training completed* are never inferred from
 *               each other; what has not happened is absent.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { SchedulerAction } from "@reprise/core/sequence/sequence.ts";
import type { RecoverySequence } from "./sequence/recovery-sequence.ts";
import type { AttemptStoryRecord } from "./store.ts";

export interface Stages {
  readonly schedulerRecoveredAt?: Instant;
  readonly trainingResumedAt?: Instant;
  readonly resumedFromStep?: number;
  readonly trainingCompletedAt?: Instant;
}

/** Seconds since the root line was written (as its reader saw it). */
export interface Seconds {
  readonly rootAt?: Instant;
  readonly detect?: number;
  readonly decide?: number;
  readonly act?: number;
  readonly released?: number;
  readonly running?: number;
  readonly resumed?: number;
  readonly converged?: number;
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

/** @param sequences Of the attempt: what whoever carries it out says, where it reports no steps. */
export function secondsOf(
  story: AttemptStoryRecord,
  after: readonly AttemptStoryRecord[],
  sequences: readonly RecoverySequence[],
): Seconds {
  const [first] = story.advice;
  const last = story.advice.at(-1);
  const rootAt = first?.issues[0]?.detectedAt;
  if (rootAt === undefined) return {};
  const since = (at: Instant | undefined) => (at === undefined ? undefined : Math.round(at - rootAt) / 1000);
  const ended = (action: string) => story.steps.find((s) => s.action === action && s.outcome === "done")?.endedAt;
  const completed = (action: SchedulerAction) =>
    sequences.flatMap(({ milestones }) => milestones).find((m) => m.action === action)?.completedAt;
  const root = story.signals.find((s) => s.at === rootAt);
  const times = {
    detect: since(root?.recordedAt ?? rootAt),
    decide: since(first?.createdAt),
    act: since(
      ended("requeue-hold") ?? ended("cancel") ?? completed("SLURM_REQUEUE_HOLD") ?? completed("SLURM_CANCEL"),
    ),
    released: since(ended("release") ?? ended("watchdog-release") ?? completed("SLURM_RELEASE")),
    running: since(after[0]?.attempt.startedAt),
    resumed: since(after[0]?.progress.resumedAt),
    converged: last?.status.disposition === "CONVERGED" ? since(last.status.observedAt) : undefined,
  };
  return { rootAt, ...Object.fromEntries(Object.entries(times).filter(([, value]) => value !== undefined)) };
}
