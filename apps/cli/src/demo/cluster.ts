/**
 * cluster: the Slurm that the demo runs on: a real one-machine Slurm, or the simulated one.
 *
 * Writes  one new folder in the system's temporary one. Whoever opened the cluster stops it, and then removes the folder.
 * Fails   `Failure` that says what is missing; where that is Slurm itself, with the way round it.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Environment } from "@reprise/runtime/environment.ts";
import { startLab } from "@reprise/slurm-lab/lab.ts";
import { LabRefusal } from "@reprise/slurm-lab/lab-options.ts";
import { installPackages, missingPackages } from "@reprise/slurm-lab/packages.ts";
import { run } from "@reprise/slurm-lab/run.ts";
import { Failure } from "../failure.ts";
import { startSimulatedSlurm } from "./simulated-slurm.ts";
import type { WakingLab } from "./waking-lab.ts";

export type Scheduler = "slurm" | "simulated";

export interface DemoCluster {
  readonly scheduler: Scheduler;
  /** Reprise's log is here. */
  readonly dir: string;
  /** For jobs: their output and checkpoints. */
  readonly sharedDir: string;
  readonly partition: string;
  /** Beside our own variables: what SAC finds this Slurm by. */
  readonly env: { readonly SLURM_CONF: string } & Readonly<Record<string, string>>;
  /** @param script The text of a batch script. @returns The job ID. */
  sbatch(script: string, args: readonly string[]): Promise<string>;
  /** Everything that runs in it ends too. */
  stop(): Promise<void>;
}

export interface ClusterLife {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told each step, in a few words. */
  readonly progress: (message: string) => void;
  readonly env: Environment;
}

export function openCluster(scheduler: Scheduler, place: WakingLab, life: ClusterLife): Promise<DemoCluster> {
  return scheduler === "simulated" ? openSimulated(place, life) : openReal(place, life);
}

async function openReal({ dir, jobCompScript }: WakingLab, life: ClusterLife): Promise<DemoCluster> {
  await bringPackages(life);
  const lab = await startLab({ dir, jobCompScript }, life);
  const { sharedDir, env, plan, sbatch } = lab;
  const partition = plan.partitions[0]?.name ?? "gpu";
  return { scheduler: "slurm", dir, sharedDir, partition, env, sbatch, stop: () => lab.stop() };
}

async function bringPackages({ progress }: ClusterLife): Promise<void> {
  if (missingPackages().length === 0) return;
  try {
    await installPackages(progress);
  } catch (error) {
    if (!(error instanceof LabRefusal)) throw error;
    throw new Failure(error.message, {
      hints: ["Without any of that: `make demo ARGS=--simulated` tells the same story on a simulated Slurm."],
    });
  }
}

async function openSimulated({ dir, dataDir }: WakingLab, life: ClusterLife): Promise<DemoCluster> {
  life.progress("starting a simulated Slurm of 4 nodes; all the rest is real");
  const sharedDir = join(dir, "shared");
  mkdirSync(sharedDir);
  const slurm = await startSimulatedSlurm({ dir, dataDir, env: life.env });
  const env = { ...slurm.env, LC_ALL: "C", HOME: sharedDir };
  return {
    scheduler: "simulated",
    dir,
    sharedDir,
    partition: "gpu",
    env: slurm.env,
    async sbatch(script, args) {
      const program = join(slurm.binDir, "sbatch");
      const { code, stdout, stderr } = await run(program, ["--parsable", ...args], {
        env,
        input: script,
        cwd: sharedDir,
      });
      if (code !== 0) throw new Failure(`sbatch ${args.join(" ")}: ${stderr.trim()}`);
      return stdout.trim();
    },
    stop: () => slurm.stop(),
  };
}
