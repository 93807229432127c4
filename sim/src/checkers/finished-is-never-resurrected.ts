/** A job that completed or was cancelled is never brought back (but a completed one whose author asks for it). */
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

export const finishedIsNeverResurrected: Checker = {
  name: "finished-is-never-resurrected",
  watch: ({ chronicle, holds }) => ({
    slurm(event) {
      if (event.kind !== "requeued" || !isOurs(event)) return;
      const [from = ""] = event.detail.split(",");
      const isWanted = from === "COMPLETED" && chronicle.workOf(event.jobId!)?.restartsCompleted === true;
      holds(
        !["COMPLETED", "CANCELLED"].includes(from) || isWanted,
        () => `${event.jobId}: requeued from ${event.detail}`,
      );
    },
  }),
};
