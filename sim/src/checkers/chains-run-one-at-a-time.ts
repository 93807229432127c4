/**
 * Jobs of one user and name that ask Slurm to run one at a time (`--dependency=singleton`) never train beside each other because of us: a
 * requeue loses the dependency, and who is let go after ours has it again.
 *
 * Excuses   a hold of ours that somebody else lifted; a job that the SAC which requeued it had not seen waiting, or that waited before some SAC
 *           died: who was seen to wait is in its memory, and Slurm shows `singleton` no more of a job that has started
 *           (docs/decisions/0032, "what it costs").
 */
import { isSingleton } from "@reprise/core/plan/dependents.ts";
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

export const chainsRunOneAtATime: Checker = {
  name: "chains-run-one-at-a-time",
  watch({ world, chronicle, holds }) {
    let sacDiedAt = Number.NEGATIVE_INFINITY;
    const seenWaiting = new Set<string>();
    const requeuedBy = new Map<string, string>();
    return {
      looked({ name }, seen) {
        if (seen.kind !== "seen") return;
        for (const { jobId, dependency } of seen.value.jobs.values())
          if (isSingleton(dependency)) seenWaiting.add(`${name} ${jobId}`);
      },
      command: ({ name }, { kind }, { expected }) =>
        void (kind === "requeue-hold" && requeuedBy.set(expected.jobId, name)),
      died: (role) => void (role.startsWith("sac") && (sacDiedAt = world.clock.now())),
      slurm({ kind, jobId = "" }) {
        const { dependency = "", name, user } = world.specOf(jobId) ?? {};
        if (kind !== "started" || !dependency.includes("singleton")) return;
        const life = chronicle.lifeOf(jobId);
        const requeue = life.findLastIndex((e) => e.kind === "requeued");
        const wasLetGoByOthers = life.slice(requeue).some((e) => e.kind === "released" && !isOurs(e));
        if (requeue < 0 || !isOurs(life[requeue]!) || wasLetGoByOthers) return;
        if (sacDiedAt >= (chronicle.submittedAt(jobId) ?? 0)) return;
        if (!seenWaiting.has(`${requeuedBy.get(jobId)} ${jobId}`)) return;
        const isSibling = (other: string) => other !== jobId && world.specOf(other)?.name === name;
        const beside = world.slurm.jobs().find((j) => isSibling(j.jobId) && j.user === user && isOn(j.state));
        holds(beside === undefined, () => `${jobId} was let go beside ${beside?.jobId}, which is of its chain`);
      },
    };
  },
};

const isOn = (state: string) => ["RUNNING", "SUSPENDED", "COMPLETING"].includes(state);
