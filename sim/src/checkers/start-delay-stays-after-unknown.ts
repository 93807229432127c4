/** After a step whose outcome is not known, Slurm's own start delay stays: it is what guards against a late duplicate. */
import type { Checker } from "./checker.ts";

export const startDelayStaysAfterUnknown: Checker = {
  name: "start-delay-stays-after-unknown",
  watch: ({ world, chronicle, holds }) => ({
    command(actor, command, { expected }) {
      if (command.kind !== "set-start") return;
      const begun = chronicle.sent.get(expected.jobId)?.begun;
      const job = world.slurm.job(expected.jobId);
      if (begun === undefined || job === undefined) return;
      const { entries } = actor.host.disk;
      const steps = entries.filter(
        (e) => e.kind === "begin" && e.work.heimdallJobId === begun.work.heimdallJobId && e.key !== begun.key,
      );
      const unknown = steps.filter((step) => {
        const end = entries.find((e) => e.kind === "end" && e.key === step.key);
        return end === undefined || (end.kind === "end" && end.outcome === "unknown");
      });
      const isShorter = world.clock.now() + command.inSeconds * 1000 < job.beginAt - 2_000;
      holds(
        unknown.length === 0 || !isShorter,
        () => `${expected.jobId}: the start delay was shortened although a step before has no known outcome`,
      );
    },
  }),
};
