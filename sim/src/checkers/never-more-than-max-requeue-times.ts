/** Of the restarts that survived, no more were ours than the author allowed and people ordered; uncharged ones end at their own ceiling. */
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

const unchargedMax = 20;

export const neverMoreThanMaxRequeueTimes: Checker = {
  name: "never-more-than-max-requeue-times",
  watch({ world, chronicle, holds }) {
    const ordered = new Map<string, number>();
    return {
      ordered(jobId, action) {
        if (action === "restart") ordered.set(jobId, (ordered.get(jobId) ?? 0) + 1);
      },
      slurm(event) {
        if (event.kind !== "requeued" || !isOurs(event)) return;
        const policy = policyOf(world.specOf(event.jobId!)?.comment);
        const ours = chronicle.lifeOf(event.jobId!).filter((e) => e.kind === "requeued" && isOurs(e)).length;
        const allowed = policy.max_requeue_times + (policy.charge === "workload" ? unchargedMax : 0);
        const most = allowed + (ordered.get(event.jobId!) ?? 0);
        holds(ours <= most, () => `${event.jobId}: restarted by us ${ours} times; allowed and ordered are ${most}`);
      },
    };
  },
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
