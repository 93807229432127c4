/**
 * cluster: a simulated Slurm in real time, behind programs of Slurm's names: for machines without one.
 *
 * Takes   a folder of its own, and the program that slurmctld would run at the end of a job.
 * Gives   `binDir`: with it first in PATH, SAC, the watchdog and people find squeue, sinfo, scontrol, scancel, sbatch and srun.
 * Writes  the folder: the programs, a socket of mode 0600, the scripts of the jobs. What the jobs do is real.
 * Keeps   the answers are those of the model that passes the contract of the real Slurm (`apps/sac/src/slurm/contract/`); here its time
 *         is this machine's. It ends all processes of its jobs when it ends.
 * Bound   `tickMs` late at most.
 */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { environment } from "@reprise/runtime/environment.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { startLoop } from "@reprise/runtime/loop.ts";
import { createSimSlurm } from "../slurm/create-sim-slurm.ts";
import type { SlurmEvent } from "../slurm/sim-slurm.ts";
import { createBatches } from "./batch.ts";
import { listen } from "./call.ts";
import { createPrograms } from "./programs.ts";
import type { Submission } from "./submission.ts";

export interface ClusterOptions {
  /** Absolute, and short: a socket lives in it. */
  readonly dir: string;
  readonly jobCompScript?: string;
}

export interface Cluster {
  readonly binDir: string;
  /** A file that says what this is: programs of ours are told by it for which Slurm they work. */
  readonly slurmConf: string;
  /** Resolves when the life has ended, and everything that ran in the cluster. */
  readonly ended: Promise<void>;
}

const tickMs = 50;
/** As in the lab that stands for the real one: Slurm's defaults, but for a short KillWait. */
const settings = { cluster: "simulated", credExpireSeconds: 120, killWaitSeconds: 3, minJobAgeSeconds: 300 };
const standIns = ["squeue", "sinfo", "scontrol", "scancel", "sbatch"];

/** @throws a `Refusal` `invalid`: the folder's path is too long for a socket. */
export async function startCluster({ dir, jobCompScript }: ClusterOptions, life: Life): Promise<Cluster> {
  const { clock, chance, log } = life;
  const [binDir, slurmConf, socket] = [join(dir, "bin"), join(dir, "etc", "slurm.conf"), join(dir, "slurm.sock")];
  const submissions = new Map<string, Submission>();
  const submissionOf = (recordId: number) => {
    const truth = sim.jobs().find((job) => job.recordId === recordId);
    return submissions.get(String(truth?.arrayJobId ?? recordId));
  };
  const batches = createBatches({ life, dir: join(dir, "jobs"), binDir, slurmConf, submissionOf });
  const sim = createSimSlurm({
    clock,
    chance: () => chance.number(),
    nodes: ["n1", "n2", "n3", "n4"].map((name) => ({ name })),
    settings,
    start: batches.start,
  });
  sim.onEvent(({ kind, jobId, detail }) => {
    log.debug({ kind, job: jobId, detail }, "Slurm");
    if (jobCompScript !== undefined && jobId !== undefined && endKinds.has(kind))
      runScript(jobCompScript, jobId, detail);
  });
  rmSync(socket, { force: true }); // Of one that was killed.
  const answer = createPrograms({
    sim,
    clock,
    settings,
    jobCompScript,
    onSubmit: (jobId, submission) => submissions.set(jobId, submission),
  });
  const listener = await listen(socket, answer);
  writePrograms(binDir, socket);
  writeSlurmConf(slurmConf);
  const ticks = startLoop(life, "slurm", tickMs, async () => sim.advance(clock.now()));
  const ended = ticks.ended.then(async () => {
    listener.close();
    await batches.endAll();
  });
  return { binDir, slurmConf, ended };
}

/** When slurmctld runs its jobcomp script: slurm.md §4. */
const endKinds: ReadonlySet<SlurmEvent["kind"]> = new Set(["completing", "requeued", "cancelled"]);

function runScript(script: string, jobId: string, state: string): void {
  const { PATH, REPRISE_WAKE } = environment();
  const env = { PATH, REPRISE_WAKE, JOBID: jobId, JOBSTATE: state };
  spawn(script, [], { env, stdio: "ignore" }).on("error", () => {}); // As with slurmctld: nobody waits for it.
}

function writePrograms(binDir: string, socket: string): void {
  const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const cache = `${binDir}/.compile-cache`;
  const write = (name: string, program: string, ...args: readonly string[]) => {
    const command = [process.execPath, program, ...args].map(quoted).join(" ");
    const path = join(binDir, name);
    writeFileSync(path, `#!/bin/sh\nNODE_COMPILE_CACHE=${quoted(cache)} exec ${command} "$@"\n`);
    chmodSync(path, 0o755);
  };
  mkdirSync(binDir, { recursive: true });
  for (const name of standIns) write(name, file("./stand-in.main.ts"), socket, name);
  write("srun", file("./srun.main.ts"));
}

function writeSlurmConf(path: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(
    path,
    `# Nobody reads this file: the Slurm of this folder is simulated.\nClusterName=${settings.cluster}\n`,
  );
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
