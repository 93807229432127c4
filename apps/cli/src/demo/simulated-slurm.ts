/**
 * simulated-slurm: the simulated Slurm as a program beside us, for machines without a Slurm: for the demo and `up --scheduler simulated`.
 *
 * Gives   the variables with which our parts find it instead of a real one. It runs real processes; only the scheduler is simulated.
 * Keeps   it is started by its path, never imported; it ends, with all that runs in it, when we end, however we end.
 * Fails   as `ready-child.ts`
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Environment } from "@reprise/runtime/environment.ts";
import { startReadyChild } from "./ready-child.ts";

export interface SimulatedSlurmOptions {
  /** Its own; short: a socket lives in it. */
  readonly dir: string;
  /** Reprise's, whose SAC is woken when a job ends. */
  readonly dataDir: string;
  readonly env: Environment;
}

export interface SimulatedSlurm {
  /** squeue, scontrol, sbatch … that speak to it. */
  readonly binDir: string;
  /** Beside everything else that a part of ours sees. */
  readonly env: { readonly PATH: string; readonly SLURM_CONF: string };
  /** Resolves when it and its jobs are gone. */
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL("../../../../sim/simulated-slurm.mjs", import.meta.url));
const jobcomp = fileURLToPath(new URL("../../../sac/jobcomp/reprise-jobcomp", import.meta.url));
const stopLimitMs = 10_000;

export async function startSimulatedSlurm({ dir, dataDir, env }: SimulatedSlurmOptions): Promise<SimulatedSlurm> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const { ready, stop } = await startReadyChild<{ binDir: string; slurmConf: string }>({
    what: "the simulated Slurm",
    args: [program, dir, jobcomp],
    env: { ...env, REPRISE_WAKE: join(dataDir, "sac", "wake") },
    logFile: join(dir, "slurm.log"),
    tie: "stdin",
    stopLimitMs,
  });
  const { binDir, slurmConf } = ready;
  return { binDir, env: { PATH: `${binDir}:${env["PATH"] ?? "/usr/bin:/bin"}`, SLURM_CONF: slurmConf }, stop };
}
