/** While a job is COMPLETING nothing is done to it but its constraints: a release is lost then, a start time overwritten. */
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

export const onlyConstraintsWhileCompleting: Checker = {
  name: "only-constraints-while-completing",
  watch: ({ world, holds }) => ({
    slurm(event) {
      if (!isOurs(event) || event.jobId === undefined) return;
      if (event.kind === "requeued") {
        const [from = ""] = event.detail.split(",");
        return holds(
          [
            "RUNNING",
            "SUSPENDED",
            "FAILED",
            "TIMEOUT",
            "NODE_FAIL",
            "OUT_OF_MEMORY",
            "PREEMPTED",
            "COMPLETED",
            "CANCELLED",
          ].includes(from),
          () => `${event.jobId}: requeued from ${from}`,
        );
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
