/**
 * Jobs of one user and name that ask Slurm to run one at a time (`--dependency=singleton`) never train beside each other because of us: a
 * requeue loses the dependency, and who is let go after ours has it again.
 *
 * Excuses   a hold of ours that somebody else lifted; a SAC or its host that has died since the job began to wait: who was seen to wait is
 *           in its memory, and Slurm shows `singleton` no more of a job that has started (docs/decisions/0032, "what it costs").
 */
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

export const chainsRunOneAtATime: Checker = {
  name: "chains-run-one-at-a-time",
  watch({ world, chronicle, holds }) {
    let sacDiedAt = Number.NEGATIVE_INFINITY;
    return {
      died: (role) => void (role.startsWith("sac") && (sacDiedAt = world.clock.now())),
      slurm({ kind, jobId = "" }) {
        const { dependency = "", name, user } = world.specOf(jobId) ?? {};
        if (kind !== "started" || !dependency.includes("singleton")) return;
        const life = chronicle.lifeOf(jobId);
        const requeue = life.findLastIndex((e) => e.kind === "requeued");
        const wasLetGoByOthers = life.slice(requeue).some((e) => e.kind === "released" && !isOurs(e));
        if (requeue < 0 || !isOurs(life[requeue]!) || wasLetGoByOthers) return;
        if (sacDiedAt >= (chronicle.submittedAt(jobId) ?? 0)) return;
        const isSibling = (other: string) => other !== jobId && world.specOf(other)?.name === name;
        const beside = world.slurm.jobs().find((j) => isSibling(j.jobId) && j.user === user && isOn(j.state));
        holds(beside === undefined, () => `${jobId} was let go beside ${beside?.jobId}, which is of its chain`);
      },
    };
  },
};

const isOn = (state: string) => ["RUNNING", "SUSPENDED", "COMPLETING"].includes(state);
