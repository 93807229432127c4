/**
 * lab: a real Slurm on one machine, in one folder: munged, slurmctld, and one slurmd a node.
 *
 * Takes   `LabOptions`, and a clock (and a signal) to wait by. Needs Debian's packages (`packages.ts`).
 * Gives   a `Lab`; `startLab` returns when every node is ready for jobs. Another process finds the same lab by its folder: `openLab`.
 * Writes  only its folder. Several labs side by side do not touch: own ports, own munge key, own environment.
 * Keeps   `stop` ends every process of the lab, also those of its jobs, and may be called at any time and again.
 * Fails   `LabRefusal`, with what slurmctld said last; a start that fails leaves nothing running.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@reprise/runtime/clock.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { startAccounting } from "./accounting.ts";
import { createBreakages, type Breakages } from "./breakages.ts";
import { endDaemon, endPids, lastWords, startDaemon, type DaemonHome } from "./daemons.ts";
import { readDescriptor, removeFolder, writeFolder, type AfterStop } from "./folder.ts";
import { LabRefusal, nodeNames, planLab, slurmConfIn, type LabOptions, type LabPlan } from "./lab-options.ts";
import { createWaits, lookAtJob, type LabJob, type WaitUntil } from "./look.ts";
import { claimPorts, type PortClaim } from "./ports.ts";
import { controllerFamily, daemonPids, isAlive, jobPids, labPids } from "./processes.ts";
import { run, type Ran, type RunOptions } from "./run.ts";
import { lookAtLab, type LabStatus } from "./status.ts";

export type { LabStatus };

export type LabLife = Pick<Life, "clock"> &
  Partial<Pick<Life, "signal">> & {
    /** Told each step of a start or stop, in a few words. */
    readonly progress?: (message: string) => void;
  };

export interface Lab extends Breakages {
  readonly dir: string;
  /** A folder for jobs: their output and checkpoints. All nodes are this machine, so it is shared storage. */
  readonly sharedDir: string;
  readonly plan: LabPlan;
  readonly nodes: readonly string[];
  /** What a Slurm command needs to speak to this lab, beside its PATH. */
  readonly env: { readonly SLURM_CONF: string };
  start(): Promise<void>;
  /** `files`: by default a folder that the lab made for itself goes, and one that was given stays. */
  stop(options?: { readonly files: AfterStop }): Promise<void>;
  status(): Promise<LabStatus>;
  /** @param script The text of a batch script. @returns The job ID. @throws LabRefusal with sbatch's words. */
  sbatch(script: string, args?: readonly string[]): Promise<string>;
  /** One of Slurm's commands against this lab, in its own small environment with LC_ALL=C. */
  run(program: string, args: readonly string[], options?: Omit<RunOptions, "env">): Promise<Ran>;
  job(jobId: string): Promise<LabJob | undefined>;
  readonly waitUntil: WaitUntil;
}

export async function startLab(options: LabOptions = {}, life: LabLife = { clock: systemClock }): Promise<Lab> {
  if (options.dir !== undefined && labPids(options.dir).length > 0)
    throw new LabRefusal("precondition", `a lab already runs in ${options.dir}`);
  const made = options.dir === undefined ? mkdtempSync(join(tmpdir(), "rl-")) : undefined;
  try {
    if (made !== undefined) chmodSync(made, 0o755); // Other users may submit too; what is secret in it has its own mode.
    const lab = createLab(
      planLab({ ...options, dir: options.dir ?? made ?? "" }),
      made === undefined ? "keep" : "remove",
      life,
    );
    await lab.start();
    return lab;
  } catch (error) {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
    throw error;
  }
}

/** The lab that some process started in this folder. @throws LabRefusal when there is none. */
export function openLab(dir: string, life: LabLife = { clock: systemClock }): Lab {
  const found = readDescriptor(dir);
  if (found === undefined)
    throw new LabRefusal("precondition", `${dir} is not the folder of a lab: it has no lab.json`);
  return createLab(found.plan, found.files, life);
}

/** Ends the lab in this folder, whoever started it. Nothing happens when there is none. */
export async function stopLabAt(dir: string, life: LabLife = { clock: systemClock }): Promise<void> {
  if (readDescriptor(dir) !== undefined) await openLab(dir, life).stop();
}

function createLab(plan: LabPlan, files: AfterStop, life: LabLife): Lab {
  const { clock, progress = () => {} } = life;
  const { dir } = plan;
  const nodes = nodeNames(plan);
  const sharedDir = `${dir}/shared`;
  const slurmEnv = { SLURM_CONF: slurmConfIn(dir) };
  /** All that a command or a job of the lab sees: nothing of the caller's SLURM_* or SBATCH_* leaks in. */
  const env = { PATH: plan.path, LC_ALL: "C", HOME: sharedDir, ...slurmEnv }; // SLURM_CONF last: a slurmstepd's title overwrites what comes first.
  const home: DaemonHome = { plan, env, clock };
  const runHere: Lab["run"] = (program, args, options = {}) => run(program, args, { cwd: sharedDir, ...options, env });
  const waits = createWaits({
    ...life,
    nodes,
    run: runHere,
    controllerLives: () => daemonPids(dir, { kind: "slurmctld" }).length > 0,
  });
  let ports: PortClaim | undefined;

  const startAll = async () => {
    // When a part of it runs, it runs on the ports that the files name already.
    if (labPids(dir).length === 0) {
      ports ??= await claimPorts(plan.nodes + (plan.accounting === undefined ? 1 : 2), plan.portBase);
      writeFolder(plan, files, ports.base);
    }
    progress("starting munge and the Slurm controller");
    await startDaemon(home, { kind: "munged" });
    await startAccounting(home, runHere, waits);
    await startDaemon(home, { kind: "slurmctld", which: "primary" });
    progress(`starting ${nodes.length} nodes of ${plan.gpus} GPUs`);
    for (const node of nodes) await startDaemon(home, { kind: "slurmd", node });
    await waits.controllerAnswers();
    if (plan.backup) await lab.controllerUp("backup");
    await waits.nodesReady();
    progress("Slurm is ready");
  };

  const lab: Lab = {
    dir,
    sharedDir,
    plan,
    nodes,
    env: slurmEnv,
    run: runHere,
    waitUntil: waits.waitUntil,
    ...createBreakages(home, runHere, waits),
    async start() {
      try {
        await startAll();
      } catch (error) {
        const words = existsSync(`${dir}/log`) ? `; slurmctld said last: ${lastWords(dir, ["slurmctld"])}` : "";
        await lab.stop().catch(() => {}); // The first error is the one to tell.
        throw error instanceof LabRefusal ? new LabRefusal(error.code, error.message + words) : error;
      }
    },
    async stop(options = { files }) {
      progress("ending the lab's processes");
      await endDaemon(home, { kind: "slurmd" }, "SIGKILL"); // First, so that nothing is reported or started any more.
      await endPids(() => jobPids(dir), "SIGKILL", clock);
      const controllers = controllerFamily(dir);
      // What keeps state has nothing to save when its files go; a controller's orderly end takes up to 4 s.
      const signal = options.files === "remove" ? "SIGKILL" : "SIGTERM";
      await endDaemon(home, { kind: "slurmctld" }, signal);
      await endPids(() => controllers.filter(isAlive), "SIGKILL", clock);
      for (const kind of ["slurmdbd", "mariadbd"] as const) await endDaemon(home, { kind }, signal);
      await endDaemon(home, { kind: "munged" }, "SIGTERM");
      ports?.release();
      ports = undefined;
      if (options.files === "remove") removeFolder(dir);
    },
    status: () => lookAtLab(plan, runHere),
    async sbatch(script, args = []) {
      const { code, stdout, stderr } = await runHere("sbatch", ["--parsable", ...args], { input: script });
      const jobId = /^\d+/.exec(stdout)?.[0];
      if (code !== 0 || jobId === undefined)
        throw new LabRefusal("invalid", `sbatch ${args.join(" ")}: ${(stderr || stdout).trim()}`);
      return jobId;
    },
    job: (jobId) => lookAtJob(runHere, jobId),
  };
  return lab;
}
