/**
 * status: which parts of a lab run, and what its Slurm says of its nodes.
 *
 * Gives   what /proc shows, always; Slurm's words only while slurmctld answers.
 */
import { nodeNames, type LabPlan } from "./lab-options.ts";
import { lookAtNodes, type RunHere } from "./look.ts";
import { daemonPids, isStopped, jobPids } from "./processes.ts";

export interface LabStatus {
  readonly dir: string;
  readonly munge: "running" | "stopped";
  readonly controller: "running" | "paused" | "stopped";
  /** `state` is Slurm's word, and absent when slurmctld did not answer. */
  readonly nodes: readonly { readonly name: string; readonly daemon: "running" | "stopped"; readonly state?: string }[];
  /** Processes of jobs. */
  readonly jobProcesses: number;
}

export async function lookAtLab(plan: LabPlan, run: RunHere): Promise<LabStatus> {
  const { dir } = plan;
  const controller = daemonPids(dir, { kind: "slurmctld" });
  const isPaused = controller.some(isStopped);
  const states = controller.length > 0 && !isPaused ? await lookAtNodes(run) : undefined;
  return {
    dir,
    munge: daemonPids(dir, { kind: "munged" }).length > 0 ? "running" : "stopped",
    controller: controller.length === 0 ? "stopped" : isPaused ? "paused" : "running",
    nodes: nodeNames(plan).map((name) => {
      const state = states?.get(name);
      const daemon = daemonPids(dir, { kind: "slurmd", node: name }).length > 0 ? "running" : "stopped";
      return { name, daemon, ...(state === undefined ? {} : { state }) };
    }),
    jobProcesses: jobPids(dir).length,
  };
}
