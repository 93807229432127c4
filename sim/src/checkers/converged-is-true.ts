/**
 * When a restart is reported CONVERGED, Slurm's history shows the next attempt, and it was not held by us then; of a chain, the next job.
 * What was to be let go is not held; or it has started, and another attempt has followed, which may be held.
 */
import type { Checker } from "./checker.ts";
import { type Chronicle, isOurs } from "./chronicle.ts";
import { policyOf } from "./never-more-than-max-requeue-times.ts";

export const convergedIsTrue: Checker = {
  name: "converged-is-true",
  watch: ({ world, chronicle, holds }) => ({
    status(advice) {
      const { jobId, attemptIndex, desired, status } = advice;
      if (status.disposition !== "CONVERGED") return;
      const life = chronicle.lifeOf(jobId);
      const isOfChain = policyOf(world.specOf(jobId)?.comment).auto_resume_mode === "singleton_dependency";
      if (desired === "RESTARTED" && isOfChain) {
        const next = chronicle.jobIds().some((other) => other !== jobId && isLetGo(chronicle, other));
        holds(next, () => `${jobId}#${attemptIndex}: CONVERGED, and nobody of its chain was let go`);
      } else if (desired === "RESTARTED") {
        const wasRequeued = life.some((e) => e.restartCount !== undefined && e.restartCount > attemptIndex);
        const wasEver =
          wasRequeued || world.slurm.history().some((e) => e.jobId === jobId && e.restartCount === attemptIndex + 1);
        holds(wasEver, () => `${jobId}#${attemptIndex}: CONVERGED, and no attempt after it`);
      }
      if (desired === "RELEASED") {
        const job = world.slurm.job(jobId);
        // The word may come late: what is held now may be a later attempt, which Slurm itself holds.
        const isOver = job !== undefined && job.restartCount > attemptIndex;
        const wasLetGo = isOver && life.some((e) => e.kind === "started" && e.restartCount === attemptIndex);
        holds(
          job?.hold === undefined || wasLetGo || life.some((e) => e.kind === "held" && !isOurs(e)),
          () => `${jobId}#${attemptIndex}: RELEASED is CONVERGED, and it is held`,
        );
      }
      if (desired === "TERMINATED") {
        const job = world.slurm.job(jobId);
        holds(
          job === undefined || !["RUNNING", "PENDING"].includes(job.state) || job.restartCount !== attemptIndex,
          () => `${jobId}#${attemptIndex}: TERMINATED is CONVERGED, and it is ${job?.state}`,
        );
      }
    },
  }),
};

const isLetGo = (chronicle: Chronicle, jobId: string) =>
  chronicle.workOf(jobId)?.isOfChain === true || chronicle.lifeOf(jobId).some(({ kind }) => kind === "started");
