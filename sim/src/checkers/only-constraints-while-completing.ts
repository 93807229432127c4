/**
 * While a job is COMPLETING nothing is done to it but its constraints: a release is lost then, a start time overwritten, and a requeue is one
 * of an attempt whose processes live.
 *
 * Excuses   a requeue whose last look came before: it is not atomic with the command.
 */
import type { Checker } from "./checker.ts";
import type { SlurmEvent } from "../slurm/sim-slurm.ts";
import { type Chronicle, isOurs } from "./chronicle.ts";

export const onlyConstraintsWhileCompleting: Checker = {
  name: "only-constraints-while-completing",
  watch: ({ world, chronicle, holds }) => ({
    slurm(event) {
      if (!isOurs(event) || event.jobId === undefined) return;
      if (event.kind === "requeued") {
        const [from = ""] = event.detail.split(",");
        holds(requeueable.has(from), () => `${event.jobId}: requeued from ${from}`);
        holds(!isLeaving(chronicle, event.jobId, event), () => `${event.jobId}: requeued while COMPLETING (${from})`);
        return;
      }
      const isOther =
        event.kind === "released" ||
        event.kind === "cancelled" ||
        (event.kind === "updated" && event.detail.includes("starttime"));
      if (!isOther) return;
      const state = event.kind === "cancelled" ? event.detail : world.slurm.job(event.jobId)?.state;
      holds(state !== "COMPLETING", () => `${event.jobId}: ${event.kind} ${event.detail} while COMPLETING`);
    },
  }),
};

const requeueable: ReadonlySet<string> = new Set([
  "RUNNING",
  "SUSPENDED",
  "FAILED",
  "TIMEOUT",
  "NODE_FAIL",
  "OUT_OF_MEMORY",
  "PREEMPTED",
  "COMPLETED",
  "CANCELLED",
]);

/** A requeue tells the state that COMPLETING hides; whether it was so before the last look, only the history does. */
function isLeaving(chronicle: Chronicle, jobId: string, requeue: SlurmEvent): boolean {
  const last = chronicle.lifeOf(jobId).findLast((e) => e !== requeue && phases.has(e.kind));
  return last?.kind === "completing" && last.at < (chronicle.sent.get(jobId)?.at ?? 0);
}

const phases: ReadonlySet<string> = new Set(["started", "completing", "ended", "requeued"]);
