/**
 * What was decided about a job is never done to another one that got its ID: our command names a submit time of this life. Done to another
 * job than the one that was decided about (the next of its chain, a component, a dependent), it names that one's own.
 */
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
      const { begun, fence } = chronicle.sent.get(event.jobId) ?? {};
      const submittedAt = chronicle.submittedAt(event.jobId);
      if (begun === undefined || fence === undefined || submittedAt === undefined) return;
      const named = begun.onJob === undefined ? begun.work.sourceSubmitAt : fence.expected.submitAt;
      holds(
        named >= Math.floor(submittedAt / 1000) * 1000 - 1_000,
        () => `${event.jobId}: ${event.kind} on Advice about a job that had this ID before`,
      );
    },
  }),
};
