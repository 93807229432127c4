/**
 * ownership: whose hold is it?
 *
 * In the loop   part of plan, and of the watchdog
 * Pure, total
 * Keeps         invariant 10: only a hold that our journal or our marker claims is ours. In doubt it is theirs.
 * Source        design §7, "a hold is ours".
 */
import { limits } from "../limits.ts";
import type { SlurmJob } from "../nouns.ts";
import type { JournalStep, Marker, Work } from "./work.ts";

/** Slurm keeps whole seconds, and may date a submit time one second into the future. */
const clockMs = 2_000;

export type Owner =
  /** Not held at all. */
  "none" | "ours" | "theirs";

/** @param job Attempt k+1 of the job as it is now; `marker` is what its AdminComment holds of us. */
export function holdOwner(
  work: Pick<Work, "heimdallJobId" | "attemptIndex">,
  job: SlurmJob,
  steps: readonly JournalStep[],
  marker: Marker | undefined,
): Owner {
  if (job.priority !== 0) return "none";
  if (job.restartCount !== work.attemptIndex + 1) return "theirs";
  const isMarked = marker?.id === work.heimdallJobId;
  // An intent alone proves nothing: the owner may have requeued the job himself before we did.
  if (isMarked && marker.step !== "intent") return marker.step === "held" ? "ours" : "theirs";
  return steps.some((step) => step.action === "requeue-hold" && claimsHold(step, job, isMarked)) ? "ours" : "theirs";
}

function claimsHold(step: JournalStep, job: SlurmJob, isMarked: boolean): boolean {
  if (step.outcome === "refused" || step.outcome === "moved") return false;
  if (job.submitAt < step.begunAt - clockMs) return false; // That requeue was before ours.
  if (step.outcome === "done") {
    // A running source becomes pending only when it has left, up to KillWait after the command returned.
    return step.sourceRan === true || job.submitAt <= (step.endedAt ?? step.begunAt) + clockMs;
  }
  if (step.sourceRan === true && !isMarked) return false;
  return job.submitAt <= step.begunAt + limits.commandLimitMs + clockMs;
}
