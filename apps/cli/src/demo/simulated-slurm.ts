/**
 * simulated-slurm: the simulated Slurm as a program beside us, for machines without a Slurm: for the demo and `up --scheduler simulated`.
 *
 * Gives   the variables with which our parts find it instead of a real one. It runs real processes; only the scheduler is simulated.
 * Keeps   it is started by its path, never imported; it ends, with all that runs in it, when we end, however we end.
 * Fails   `Failure` with its last words when it does not start.
 */
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Environment } from "@reprise/runtime/environment.ts";
import { Failure } from "../failure.ts";
import { firstLine } from "./first-line.ts";

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
  const logFile = join(dir, "slurm.log");
  const log = openSync(logFile, "a", 0o600);
  const child = spawn(process.execPath, [program, dir, jobcomp], {
    env: { ...env, REPRISE_WAKE: join(dataDir, "sac", "wake") },
    detached: true, // Ctrl-C is ours alone: our parts may still need it.
    stdio: ["pipe", "pipe", log],
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
  const ready = await Promise.race([firstLine(child), ended.then(() => undefined)]);
  if (ready === undefined)
    throw new Failure("the simulated Slurm did not start", { hints: lastLines(readFileSync(logFile, "utf8")) });
  const { binDir, slurmConf } = JSON.parse(ready) as { binDir: string; slurmConf: string };
  return {
    binDir,
    env: { PATH: `${binDir}:${env["PATH"] ?? "/usr/bin:/bin"}`, SLURM_CONF: slurmConf },
    async stop() {
      child.kill("SIGTERM");
      const limit = AbortSignal.timeout(stopLimitMs);
      limit.addEventListener("abort", () => child.kill("SIGKILL"));
      await ended;
    },
  };
}

const lastLines = (text: string): string[] => text.trim().split("\n").slice(-5);
