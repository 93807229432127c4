/** Of the restarts that survived, no more were ours than the author allowed; uncharged ones end at their own ceiling. */
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

const unchargedMax = 20;

export const neverMoreThanMaxRequeueTimes: Checker = {
  name: "never-more-than-max-requeue-times",
  watch: ({ world, chronicle, holds }) => ({
    slurm(event) {
      if (event.kind !== "requeued" || !isOurs(event)) return;
      const policy = policyOf(world.specOf(event.jobId!)?.comment);
      const ours = chronicle.lifeOf(event.jobId!).filter((e) => e.kind === "requeued" && isOurs(e)).length;
      const allowed = policy.max_requeue_times + (policy.charge === "workload" ? unchargedMax : 0);
      holds(ours <= allowed, () => `${event.jobId}: restarted by us ${ours} times; its author allows ${allowed}`);
    },
  }),
};

/** Read anew here: a checker does not trust the reader that it judges. */
export function policyOf(comment: string | undefined): {
  readonly max_requeue_times: number;
  readonly charge: string;
  readonly auto_resume_mode: string;
} {
  const blank = { max_requeue_times: 0, charge: "all", auto_resume_mode: "none" };
  try {
    const { recovery } = JSON.parse(comment ?? "") as { recovery?: Record<string, unknown> };
    return recovery === undefined ? blank : { ...blank, max_requeue_times: 3, ...recovery };
  } catch {
    return blank;
  }
}
