/** Every command stood in the journal of its host, begun and not ended, before it was sent. A watchdog on a full disk goes without. */
import type { Checker } from "./checker.ts";

export const everyEffectWasBegun: Checker = {
  name: "every-effect-was-begun",
  watch: ({ chronicle, holds }) => ({
    command(actor, command, { expected }) {
      const { begun } = chronicle.sent.get(expected.jobId)!;
      const isExcused = actor.role === "watchdog" && actor.host.disk.isFull;
      holds(
        begun !== undefined || isExcused,
        () => `${actor.name}: ${command.kind} of ${expected.jobId} without a step in the journal`,
      );
    },
  }),
};
