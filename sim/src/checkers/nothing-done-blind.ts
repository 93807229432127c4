/** No command is sent by a program whose last look at Slurm failed, or did not show the job as it is. */
import type { Seen } from "@reprise/core/nouns.ts";
import type { Pass } from "@reprise/sac/slurm/slurm.ts";
import type { Checker } from "./checker.ts";

export const nothingDoneBlind: Checker = {
  name: "nothing-done-blind",
  watch({ holds }) {
    const last = new Map<string, Seen<Pass>>();
    return {
      looked: (actor, seen) => void last.set(actor.name, seen),
      command(actor, command, { expected }) {
        const seen = last.get(actor.name);
        const job = seen?.kind === "seen" ? seen.value.jobs.get(expected.jobId) : undefined;
        holds(
          job !== undefined,
          () =>
            `${actor.name}: ${command.kind} of ${expected.jobId} after a look that ${seen?.kind === "seen" ? "did not show it" : "failed"}`,
        );
        holds(
          job === undefined || job.restartCount === expected.restartCount,
          () =>
            `${actor.name}: ${command.kind} of ${expected.jobId}: it expects attempt ${expected.restartCount}, and saw ${job?.restartCount}`,
        );
        holds(
          !/^(LAUNCHING)$/.test(job?.state ?? ""),
          () => `${actor.name}: ${command.kind} of ${expected.jobId}, whose state nobody knows`,
        );
      },
    };
  },
};
