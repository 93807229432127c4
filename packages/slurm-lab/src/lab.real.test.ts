/**
 * Goal    the lab is a real Slurm that can be broken and mended, leaves nothing behind, and the training program on it comes back.
 * Method  real labs; each test looks until it sees, and never waits a fixed time. Needs Slurm's packages and REPRISE_REAL_SLURM=1.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLab, startLab, stopLabAt, type Lab } from "./lab.ts";
import type { LabOptions } from "./lab-options.ts";
import { missingPackages } from "./packages.ts";
import { labPids } from "./processes.ts";
import { finalLoss, newestCheckpoint, parseStepLines, readFaults, readResult } from "./training-files.ts";
import { trainingJob, type TrainingJobOptions } from "./training-job.ts";

const missing = missingPackages();
const isAsked = process.env["REPRISE_REAL_SLURM"] === "1";
const reason = !isAsked
  ? "REPRISE_REAL_SLURM is not 1"
  : missing.length > 0
    ? `${missing.join(", ")} not installed`
    : undefined;
if (reason !== undefined && isAsked && process.env["CI"] === "true")
  throw new Error(`the real lab cannot be tested: ${reason}`);
if (reason !== undefined) console.log(`skipped, real lab: ${reason}`);

const minutes = 60_000;

async function lab(options: LabOptions = {}): Promise<Lab> {
  const started = await startLab({ credExpireSeconds: 5, ...options });
  onTestFinished(() => started.stop({ files: "remove" }));
  return started;
}

/** Submits a training into a folder of its own. */
async function train(lab: Lab, name: string, options: Partial<TrainingJobOptions> = {}) {
  const dir = `${lab.sharedDir}/${name}`;
  const job = trainingJob({
    dir,
    nodeProgram: process.execPath,
    outputPath: `${lab.sharedDir}/${name}.out`,
    name,
    steps: 30,
    checkpointEvery: 5,
    globalBatch: 1024,
    ...options,
  });
  const jobId = await lab.sbatch(job.script, job.args);
  const output = () => (existsSync(job.outputPath) ? readFileSync(job.outputPath, "utf8") : "");
  const reaches = (state: string) =>
    lab.waitUntil(
      `job ${jobId} (${name}) is ${state}`,
      async () => {
        const seen = await lab.job(jobId);
        return seen?.state === state && seen;
      },
      2 * minutes,
    );
  return { dir, jobId, output, reaches };
}

async function scontrol(lab: Lab, ...args: string[]) {
  expect(await lab.run("scontrol", args), args.join(" ")).toMatchObject({ code: 0 });
}

/** The command lines of all processes that say the folder, or had it in their environment when they started: another way than the lab's own. */
function mentioning(dir: string): string[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((pid) => {
      try {
        const [line, environment] = ["cmdline", "environ"].map((name) =>
          readFileSync(`/proc/${pid}/${name}`, "utf8").replaceAll("\0", " "),
        );
        return `${line} ${environment}`.includes(`${dir}/`) ? [line] : [];
      } catch {
        return []; // It ended.
      }
    }) as string[];
}

describe.skipIf(reason !== undefined)("a real lab", () => {
  test(
    "a training that failed and was requeued by hand without the bad node ends with the loss of one that never failed",
    async () => {
      const slurm = await lab();
      const clean = await train(slurm, "clean");
      const broken = await train(slurm, "broken", { faults: [{ attempt: 0, node: 1, step: 13, kind: "exit" }] });

      await broken.reaches("FAILED");
      const [fault] = readFaults(broken.dir);
      expect(fault).toMatchObject({ attempt: 0, rank: 2, step: 13, kind: "exit" });
      expect(broken.output()).toContain("[rank2]: RuntimeError: NCCL communicator was aborted on rank 2.\n");
      expect(broken.output()).toMatch(/^srun: error: n\d: tasks? 2(-3)?: Exited with exit code 1$/m);
      expect(newestCheckpoint(broken.dir)?.step).toBe(10);

      await scontrol(slurm, "requeuehold", broken.jobId);
      await scontrol(slurm, "update", `JobId=${broken.jobId}`, `ExcNodeList=${fault?.node}`);
      await scontrol(slurm, "release", broken.jobId);
      const end = await broken.reaches("COMPLETED");
      expect(end).toMatchObject({ restarts: 1, excluded: fault?.node });
      await clean.reaches("COMPLETED");

      expect(readResult(broken.dir)).toMatchObject({ attempt: 1, resumedFromStep: 10 });
      expect(broken.output()).toContain(
        `successfully loaded checkpoint from ${broken.dir}/checkpoints [ t 0, p 0 ] at iteration 10\n`,
      );
      expect(parseStepLines(broken.output()).map(({ step }) => step)).toEqual([
        ...Array.from({ length: 12 }, (_, i) => i + 1),
        ...Array.from({ length: 20 }, (_, i) => i + 11),
      ]);
      expect(Math.abs((finalLoss(broken.dir) ?? 0) - (finalLoss(clean.dir) ?? 1))).toBeLessThan(1e-6);
    },
    3 * minutes,
  );

  test(
    "an ECC error leaves the job running and stuck; a segmentation fault ends it and srun says which node",
    async () => {
      const slurm = await lab();
      const stuck = await train(slurm, "stuck", { faults: [{ attempt: 0, node: 1, step: 8, kind: "ecc" }] });
      const dead = await train(slurm, "dead", { faults: [{ attempt: 0, node: 0, step: 8, kind: "signal" }] });
      await dead.reaches("FAILED");
      expect(dead.output()).toMatch(/^srun: error: n\d: task 0: Segmentation fault$/m);
      await slurm.waitUntil("the ECC error is printed", () =>
        stuck.output().includes("[rank2]: RuntimeError: CUDA error: uncorrectable ECC error encountered\n"),
      );
      expect((await slurm.job(stuck.jobId))?.state).toBe("RUNNING");
      expect(parseStepLines(stuck.output()).at(-1)?.step).toBe(7);
      // And a requeue ends it at once: its workers do not outlive SIGTERM.
      await scontrol(slurm, "requeuehold", "Incomplete", stuck.jobId);
      expect(await stuck.reaches("PENDING")).toMatchObject({ restarts: 1, priority: 0 });
    },
    3 * minutes,
  );

  test(
    "two labs side by side know nothing of each other, and the end of one leaves the other",
    async () => {
      const [one, other] = await Promise.all([
        lab({ nodes: 2 }),
        lab({ nodes: 2, partitions: [{ name: "gpu" }, { name: "other", nodes: "n2" }] }),
      ]);
      const first = await other.sbatch("#!/bin/sh\nexec sleep 600\n", ["--partition=other"]);
      expect(first).toBe("1");
      await one.stop();
      expect(labPids(one.dir)).toEqual([]);
      expect(existsSync(one.dir)).toBe(false);
      expect((await other.status()).nodes.map(({ daemon }) => daemon)).toEqual(["running", "running"]);
      expect(
        await other.waitUntil(
          "its job runs",
          async () => (await other.job(first))?.state === "RUNNING" && (await other.job(first)),
        ),
      ).toMatchObject({ nodes: "n2" });
    },
    2 * minutes,
  );

  test(
    "a lost node takes its processes with it, its job is requeued by Slurm, and it comes back",
    async () => {
      const slurm = await lab({ nodes: 2 });
      const jobId = await slurm.sbatch("#!/bin/sh\nsrun sleep 600\n", [
        "--nodes=2",
        "--ntasks-per-node=1",
        "--requeue",
      ]);
      await slurm.waitUntil("its tasks run", async () => (await slurm.status()).jobProcesses >= 6);
      await slurm.nodeLost("n2");
      await slurm.waitUntil("Slurm requeued it", async () => ((await slurm.job(jobId))?.restarts ?? 0) === 1);
      expect((await slurm.status()).nodes[1]).toMatchObject({ name: "n2", daemon: "stopped" });
      await scontrol(slurm, "hold", jobId);
      await slurm.nodeUp("n2");
      await slurm.nodeResume("n2");
      await slurm.waitUntil("the node is idle", async () => (await slurm.status()).nodes[1]?.state === "idle");
      await expect(slurm.nodeLost("n9")).rejects.toThrow('node: "n9" is none of n1, n2');
    },
    2 * minutes,
  );

  test(
    "the controller can be killed, paused and brought back, and so can munge",
    async () => {
      const slurm = await lab({ nodes: 1 });
      await slurm.controllerKill();
      expect((await slurm.status()).controller).toBe("stopped");
      await slurm.controllerUp();
      expect((await slurm.status()).controller).toBe("running");
      await slurm.controllerPause();
      expect((await slurm.status()).controller).toBe("paused");
      await slurm.controllerResume();
      await slurm.waitUntil("it answers", async () => (await slurm.run("squeue", ["-h"])).code === 0);
      await slurm.mungeDown();
      expect((await slurm.run("squeue", ["-h"])).stderr).toContain("Protocol authentication error");
      await slurm.mungeUp();
      await slurm.waitUntil("it answers again", async () => (await slurm.run("squeue", ["-h"])).code === 0);
      await slurm.controllerStop();
      await slurm.controllerUp();
    },
    2 * minutes,
  );

  test(
    "a lab is ended from its folder alone, with its jobs and what they started, as often as one likes",
    async () => {
      const dir = mkdtempSync(join(tmpdir(), "rl-"));
      onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
      const slurm = await lab({ dir, nodes: 1 });
      await expect(startLab({ dir })).rejects.toThrow(`a lab already runs in ${dir}`);
      const mark = `${slurm.sharedDir}/hidden.pid`;
      await slurm.sbatch(`#!/bin/sh\ntrap "" TERM\nenv -i sh -c 'echo $$ > ${mark}; exec sleep 600' &\nwait\n`);
      await slurm.waitUntil("the job runs", () => existsSync(mark) && readFileSync(mark, "utf8") !== "");
      const hidden = readFileSync(mark, "utf8").trim();
      await stopLabAt(dir);
      await stopLabAt(dir);
      expect(labPids(dir)).toEqual([]);
      expect(mentioning(dir)).toEqual([]);
      expect(existsSync(`/proc/${hidden}/exe`)).toBe(false);
      expect(existsSync(`${dir}/log/slurmctld.log`)).toBe(true); // A folder that was given is kept.

      await openLab(dir).start(); // And may be started again.
      expect((await openLab(dir).status()).controller).toBe("running");
      await openLab(dir).stop({ files: "remove" });
      expect(existsSync(dir)).toBe(false);
    },
    2 * minutes,
  );

  test(
    "slurmctld runs the script that is told of each end",
    async () => {
      const dir = mkdtempSync(join(tmpdir(), "rl-"));
      onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
      writeFileSync(`${dir}/poke.sh`, `#!/bin/sh\necho "$JOBID $JOBSTATE" >> ${dir}/pokes\n`, { mode: 0o755 });
      const slurm = await lab({ dir, nodes: 1, jobCompScript: `${dir}/poke.sh` });
      const jobId = await slurm.sbatch("#!/bin/sh\nexit 7\n");
      await slurm.waitUntil(
        "the script ran",
        () => existsSync(`${dir}/pokes`) && readFileSync(`${dir}/pokes`, "utf8") === `${jobId} FAILED\n`,
      );
    },
    2 * minutes,
  );

  test(
    "a start that fails says why and leaves nothing",
    async () => {
      const temporary = mkdtempSync(join(tmpdir(), "rt-")); // Other labs come and go in the system's own.
      const before = process.env["TMPDIR"];
      process.env["TMPDIR"] = temporary;
      onTestFinished(() => {
        if (before === undefined) delete process.env["TMPDIR"];
        else process.env["TMPDIR"] = before;
        rmSync(temporary, { recursive: true, force: true });
      });
      const failed = startLab({ nodes: 1, extraConf: ["SelectType=select/none_such"] });
      await expect(failed).rejects.toThrow(/did not start: .*none_such/);
      expect(readdirSync(temporary)).toEqual([]);
    },
    minutes,
  );
});
