/**
 * Advice acts on its source and on the one successor, and cancels that only while it has never started. (The last look before a command
 * is not atomic with it: a start, or another requeue, in that very moment is not seen.) Of other jobs it only makes those that wait for its own by Slurm's
 * dependency wait again, and lets the next of a chain go.
 */
import type { SlurmEvent } from "../slurm/sim-slurm.ts";
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

export const noAdviceBeyondTheSuccessor: Checker = {
  name: "no-advice-beyond-the-successor",
  watch: ({ chronicle, holds }) => ({
    slurm(event) {
      if (!isOurs(event) || event.jobId === undefined) return;
      if (!["released", "updated", "cancelled"].includes(event.kind)) return;
      const work = chronicle.workOf(event.jobId);
      if (work === undefined) return; // `every-effect-was-begun` judges that.
      if (work.jobId !== event.jobId) {
        const isMended = event.kind === "updated" && event.detail === "dependency";
        const isNext = work.isOfChain === true && event.kind !== "cancelled" && event.restartCount === 0;
        holds(
          isMended || isNext,
          () => `${event.jobId}: ${event.kind} ${event.detail} on Advice about job ${work.jobId}`,
        );
        return;
      }
      const ahead = event.restartCount! - work.attemptIndex;
      const sentAt = chronicle.sent.get(event.jobId)?.at ?? event.at;
      const cameSince = (e: SlurmEvent) =>
        e.kind === "requeued" && e.restartCount === event.restartCount && e.at >= sentAt;
      const isJustRequeued = event.kind === "updated" && chronicle.lifeOf(event.jobId).some(cameSince);
      holds(
        ahead === 0 || ahead === 1 || (ahead === 2 && isJustRequeued),
        () =>
          `${event.jobId}: ${event.kind} attempt ${event.restartCount} on Advice about attempt ${work.attemptIndex}`,
      );
      if (event.kind === "cancelled" && ahead === 1) {
        const hasStarted = chronicle
          .lifeOf(event.jobId)
          .some((e) => e.kind === "started" && e.restartCount === event.restartCount && e.at < sentAt);
        holds(!hasStarted, () => `${event.jobId}: the successor was cancelled after its start`);
      }
    },
  }),
};
