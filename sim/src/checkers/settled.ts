/**
 * settled: why a world without troubles has not come to rest.
 *
 * Gives   a sentence for each Advice that is neither converged nor abandoned, each job that we hold, each step that the server
 *         has not heard of. Empty: all is settled.
 */
import { untoldSteps } from "./acknowledged-is-kept.ts";
import type { World } from "../world.ts";
import { cluster } from "../roles.ts";

export async function unsettled(world: World): Promise<readonly string[]> {
  const why: string[] = [];
  const { mode } = world.spec.reprise;
  const jobs = new Map(world.slurm.jobs().map((job) => [job.jobId, job]));
  const now = world.serverHost.now();
  for (const { advice } of await world.memory.listWork(cluster, now)) {
    const { jobId, attemptIndex, generation, desired, status } = advice;
    // The gate says no: in observe mode, and outside the allowlist, that is where it stays.
    if (mode === "observe" || status.reason === "OBSERVE_MODE") continue;
    const job = jobs.get(jobId);
    why.push(
      `Advice ${jobId}#${attemptIndex} g${generation} ${desired} is ${status.disposition}; Slurm shows ${job === undefined ? "nothing" : `#${job.restartCount} ${job.state} priority ${job.priority}`}`,
    );
  }
  const history = world.slurm.history();
  for (const job of jobs.values()) {
    if (job.state !== "PENDING" || job.hold !== "user") continue;
    const own = history.filter((e) => e.jobId === job.jobId && e.survived);
    const requeue = own.findLast((e) => e.kind === "requeued");
    if (requeue?.by !== "root" || own.slice(own.indexOf(requeue)).some((e) => e.kind === "held")) continue;
    why.push(`job ${job.jobId}#${job.restartCount} is held by us`);
  }
  return why.length > 0 ? why : untoldSteps(world);
}
