/**
 * launch-hold: the holds that Slurm lays by itself when it cannot launch a job.
 *
 * Takes        Reason as squeue prints it, e.g. `launch failed requeued held`; scontrol writes underscores.
 * Pure, total
 * Source       slurm.md §2.4; cases E01, E03; `job_state_reason_string` of slurmctld.
 */
import { slurmFactsOf } from "./slurm-facts.ts";
import type { AttemptRecord } from "../nouns.ts";

/** Advice with this reason lifts such a hold. */
export const launchFailed = "launch-failed";

/** `failed`: a prolog failed. `limit`: it failed more often than `MaxBatchRequeue` allows. */
export function launchHoldOf(reason: string): "failed" | "limit" | undefined {
  switch (reason.replaceAll("_", " ").toLowerCase()) {
    case "launch failed requeued held":
      return "failed";
    case "launch failure limit exceeded requeued held":
    case "jobholdmaxrequeue":
      return "limit";
    default:
      return undefined;
  }
}

/** The same of an attempt, by the reason that Slurm last showed. Undefined, too, where nobody told one. */
export function launchHoldIn(attempt: AttemptRecord): ReturnType<typeof launchHoldOf> {
  const { reason } = slurmFactsOf(attempt);
  return typeof reason === "string" ? launchHoldOf(reason) : undefined;
}
