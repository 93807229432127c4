/**
 * The reason with which Advice is abandoned is what Slurm's history says: gone is gone, ended is ended, held by others
 * is held by others. (A second SAC, with a journal of its own, cannot know the other's hold before it is marked.)
 */
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

export const abandonedIsTrue: Checker = {
  name: "abandoned-is-true",
  watch: ({ world, chronicle, holds }) => ({
    status({ jobId, attemptIndex, status }) {
      if (status.disposition !== "ABANDONED") return;
      const name = `${jobId}#${attemptIndex}`;
      const life = chronicle.lifeOf(jobId);
      const job = world.slurm.job(jobId);
      if (status.reason === "TARGET_GONE") {
        const hasAnother = chronicle.reissued(jobId);
        holds(job === undefined || hasAnother, () => `${name}: TARGET_GONE, and Slurm has it: ${job?.state}`);
      }
      if (status.reason === "HELD_BY_OTHERS") {
        const isOthers =
          life.some((e) => (e.kind === "held" || e.kind === "requeued" || e.kind === "submitted") && !isOurs(e)) ||
          job?.hold === "launch" ||
          world.spec.reprise.hasSecondSac;
        holds(isOthers, () => `${name}: HELD_BY_OTHERS, and nobody else laid a hold`);
      }
      if (status.reason === "WITHDRAWN") return;
      if (status.reason === "SUPERSEDED")
        holds(
          job === undefined || chronicle.reissued(jobId) || chronicle.everCounted(jobId) !== attemptIndex,
          () => `${name}: SUPERSEDED, and there is no other attempt`,
        );
    },
  }),
};
