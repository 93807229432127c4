/** What was decided about a job is never done to another one that got its ID: our command names a submit time of this life. */
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

export const reissuedIdInheritsNothing: Checker = {
  name: "reissued-id-inherits-nothing",
  watch: ({ chronicle, holds }) => ({
    slurm(event) {
      if (
        !isOurs(event) ||
        event.jobId === undefined ||
        !["requeued", "released", "cancelled", "updated"].includes(event.kind)
      )
        return;
      const work = chronicle.workOf(event.jobId);
      const submittedAt = chronicle.submittedAt(event.jobId);
      if (work === undefined || submittedAt === undefined) return;
      holds(
        work.sourceSubmitAt >= Math.floor(submittedAt / 1000) * 1000 - 1_000,
        () => `${event.jobId}: ${event.kind} on Advice about a job that had this ID before`,
      );
    },
  }),
};
