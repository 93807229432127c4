/** A job whose author did not opt in, or whose wishes cannot be read, is never touched. */
import type { Checker } from "./checker.ts";
import { policyOf } from "./never-more-than-max-requeue-times.ts";

export const uncoveredIsNeverTouched: Checker = {
  name: "uncovered-is-never-touched",
  watch: ({ world, holds }) => ({
    command(_actor, command, { expected }) {
      const policy = policyOf(world.specOf(expected.jobId)?.comment);
      const isCovered =
        ["requeue", "singleton_dependency"].includes(policy.auto_resume_mode) &&
        policy.max_requeue_times >= 0 &&
        !("environment" in policy);
      holds(
        isCovered,
        () =>
          `${command.kind} of ${expected.jobId}, whose comment is ${world.specOf(expected.jobId)?.comment ?? "not there"}`,
      );
    },
  }),
};
