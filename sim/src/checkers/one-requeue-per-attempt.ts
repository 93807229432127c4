/** An attempt is requeued by us at most once, on Advice about itself: the history that survived shows no second one. */
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

export const oneRequeuePerAttempt: Checker = {
  name: "one-requeue-per-attempt",
  watch: ({ chronicle, holds }) => ({
    slurm(event) {
      if (event.kind !== "requeued" || !isOurs(event)) return;
      const jobId = event.jobId!;
      const from = event.restartCount! - 1;
      const work = chronicle.workOf(jobId);
      holds(
        work?.attemptIndex === from,
        () =>
          `${jobId}: attempt ${from} was requeued on Advice about attempt ${work?.attemptIndex ?? "nobody knows which"}`,
      );
      const same = chronicle
        .lifeOf(jobId)
        .filter((e) => e.kind === "requeued" && isOurs(e) && e.restartCount === event.restartCount);
      holds(same.length === 1, () => `${jobId}: attempt ${from} was requeued ${same.length} times`);
    },
  }),
};
