/**
 * fold-progress: how far a training came, after one more signal.
 *
 * Takes    what is known, and one signal; signals may come late, twice, and from many ranks.
 * Gives    the same object when the signal says nothing new.
 * Pure, total
 * Keeps    progress is a step that grew, never mere output. A restart inside the attempt begins to count again.
 */
import type { Instant, Progress, Signal } from "@reprise/core/nouns.ts";

export interface ProgressRow extends Progress {
  /** The latest time that a checkpoint was loaded; `resumedAt` is the first. */
  readonly lastResumedAt?: Instant;
  /** When a watcher said so of `logReadAt`, by the clock of the server. It stays where a file cannot be read any more. */
  readonly logHeardAt?: Instant;
}

export type ProgressSignal = Pick<Signal, "kind" | "at" | "step"> & { readonly stepSpacingMs?: number };

export function foldProgress(known: ProgressRow, signal: ProgressSignal): ProgressRow {
  switch (signal.kind) {
    case "progress":
      return signal.step === undefined ? known : stepped(known, signal.step, signal);
    case "checkpoint-saved":
      return signal.step === undefined ? known : saved(known, signal.step, signal);
    case "resumed":
      return resumed(known, signal);
    default:
      return known;
  }
}

function stepped(known: ProgressRow, step: number, { at, stepSpacingMs }: ProgressSignal): ProgressRow {
  const { lastStep, lastStepAt = -Infinity } = known;
  const first = known.firstStep === undefined ? { firstStep: step, firstStepAt: at } : {};
  const hasGrown = lastStep === undefined || step > lastStep;
  const isAfterResume =
    known.lastResumedAt !== undefined && known.lastResumedAt > lastStepAt && at >= known.lastResumedAt;
  if (!hasGrown && !isAfterResume) return known;
  const spacing = stepSpacingMs ?? (hasGrown ? spacingSince(known, step, at) : undefined);
  return {
    ...known,
    ...first,
    lastStep: step,
    lastStepAt: at,
    ...(spacing === undefined ? {} : { stepSpacingMs: spacing }),
  };
}

/** Between the last two steps that were seen, however many lie between them. */
function spacingSince({ lastStep, lastStepAt }: ProgressRow, step: number, at: Instant): number | undefined {
  if (lastStep === undefined || lastStepAt === undefined || at <= lastStepAt) return undefined;
  return Math.round((at - lastStepAt) / (step - lastStep));
}

function saved(known: ProgressRow, step: number, { at }: ProgressSignal): ProgressRow {
  const { checkpointStep = -Infinity, checkpointAt = -Infinity } = known;
  const isNews = step !== checkpointStep && at >= checkpointAt && (step > checkpointStep || at > checkpointAt);
  return isNews ? { ...known, checkpointStep: step, checkpointAt: at } : known;
}

function resumed(known: ProgressRow, { at, step }: ProgressSignal): ProgressRow {
  const isLatest = known.lastResumedAt === undefined || at > known.lastResumedAt;
  const latest = isLatest ? { ...known, lastResumedAt: at } : known;
  if (step === undefined || known.resumedFromStep !== undefined) return latest;
  return { ...latest, resumedFromStep: step, resumedAt: at };
}
