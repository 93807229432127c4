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

/** Two hosts' clocks; and Slurm keeps whole seconds, and may date a submit time one second into the future. */
const clockMs = 10_000;

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
  return steps.some((step) => step.action === "requeue-hold" && claimsHold(step, job)) ? "ours" : "theirs";
}

function claimsHold(step: JournalStep, job: SlurmJob): boolean {
  if (step.outcome === "refused" || step.outcome === "moved") return false;
  // Slurm accepted it, and the count is one higher: whatever the two hosts' clocks say, that was ours.
  if (step.outcome === "done") return true;
  const isBefore = job.submitAt < step.begunAt - clockMs;
  return !isBefore && job.submitAt <= (step.endedAt ?? step.begunAt) + limits.claimWindowMs;
}
