/**
 * Goal    the programs of the simulated Slurm are enough for SAC and for people: what jobs do is real, and nothing of them is left.
 * Method  a cluster in a folder of its own, and the programs as processes; what the jobs write tells what ran. The machine's clock: each
 *         test takes as long as Slurm's scheduling does.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemChance } from "@reprise/runtime/chance.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { createLog } from "@reprise/runtime/log.ts";
import { createRunner } from "@reprise/sac/slurm/command/run.ts";
import { startCluster } from "./cluster.ts";

vi.setConfig({ testTimeout: 60_000 });
const pollSoon = { timeout: 30_000, interval: 50 };
const run = createRunner(systemClock);

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "rs-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function clusterWorld() {
  const dir = folder();
  const stop = new AbortController();
  const life = {
    clock: systemClock,
    chance: systemChance,
    log: createLog({ name: "slurm", level: "error", isPretty: false }),
    signal: stop.signal,
  };
  const cluster = await startCluster({ dir }, life);
  const end = async () => {
    stop.abort();
    await cluster.ended;
  };
  onTestFinished(end);
  const type = (program: string, ...args: readonly string[]) =>
    run(join(cluster.binDir, program), args, { limitMs: 20_000, env: { PATH: process.env["PATH"] ?? "" } });
  return {
    dir,
    end,
    type,
    /** Its log is `<dir>/log`. */
    async submit(script: readonly string[], ...args: readonly string[]) {
      const file = join(dir, "script.sh");
      writeFileSync(file, ["#!/bin/sh", ...script, ""].join("\n"));
      const { stdout, stderr } = await type("sbatch", "--parsable", `--output=${join(dir, "log")}`, ...args, file);
      expect(stderr).toBe("");
      return stdout.trim();
    },
    log: () => (existsSync(join(dir, "log")) ? readFileSync(join(dir, "log"), "utf8") : ""),
    row: async (jobId: string) =>
      (await type("squeue", "-j", jobId, "-O", "State:|,restartcnt:|,exit_code:|,NodeList:|")).stdout.trim(),
  };
}

const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");

test("srun starts a task for each rank; one that dies of a signal ends the others and the job", async () => {
  const world = await clusterWorld();
  const allHaveSpoken = `until [ "$(grep -c ^rank ${join(world.dir, "log")})" = 4 ]; do sleep 0.05; done`;
  const task = `echo "rank $SLURM_PROCID of $SLURM_NTASKS on $SLURMD_NODENAME"; [ $SLURM_PROCID != 2 ] || { ${allHaveSpoken}; kill -SEGV $$; }; exec sleep 100`;
  const jobId = await world.submit([`srun --kill-on-bad-exit=1 sh -c '${task}'`], "--nodes=2", "--ntasks-per-node=2");
  await expect.poll(() => world.row(jobId), pollSoon).toBe(`FAILED|0|${139 << 8}|n[1-2]|`);
  for (const [rank, node] of ["n1", "n1", "n2", "n2"].entries())
    expect(world.log()).toContain(`rank ${rank} of 4 on ${node}\n`);
  expect(world.log()).toContain("srun: error: n2: task 2: Segmentation fault");
});

test("a requeue ends what runs, also what ignores SIGTERM, and the released job starts again with its count", async () => {
  const world = await clusterWorld();
  const script = ["trap '' TERM", 'echo "attempt ${SLURM_RESTART_COUNT:-0} $$"', "while :; do sleep 1; done"];
  const jobId = await world.submit(script, "--open-mode=append");
  await expect.poll(world.log, pollSoon).toMatch(/^attempt 0 \d+\n$/);
  const pid = Number(world.log().split(" ")[2]);
  expect((await world.type("scontrol", "requeuehold", jobId)).rc).toBe(0);
  await expect.poll(() => world.row(jobId), pollSoon).toMatch(/^PENDING\|1\|/);
  const { stdout } = await world.type("scontrol", "-o", "show", "job", jobId);
  expect(stdout).toMatch(/^JobId=1 Priority=0 JobState=PENDING Restarts=1 NodeList=\S+ ExcNodeList=\(null\)$/m);
  expect(isAlive(pid)).toBe(false);
  await world.type("scontrol", "release", jobId);
  await world.type("scontrol", "update", `JobId=${jobId}`, "StartTime=now");
  await expect.poll(world.log, pollSoon).toMatch(/^attempt 0 \d+\nattempt 1 \d+\n$/);
});

test("when it ends, nothing of its jobs lives, and its programs say that nobody answers", async () => {
  const world = await clusterWorld();
  await world.submit(["echo $$; sleep 100 & wait"]);
  await expect.poll(world.log, pollSoon).toMatch(/^\d+\n$/);
  await world.end();
  expect(isAlive(Number(world.log()))).toBe(false);
  const asked = await world.type("squeue");
  expect([asked.rc, asked.stdout]).toEqual([1, ""]);
  expect(asked.stderr).toContain("Unable to contact slurm controller");
});

test("what a person types is answered, and what the model has not got is refused by name", async () => {
  const { type } = await clusterWorld();
  expect((await type("squeue")).stdout).toBe("   JOBID  STATE       RESTARTS  NODES\n");
  expect((await type("sinfo")).stdout).toContain("n4 idle gpu\n");
  expect((await type("scontrol", "show", "config")).stdout).toMatch(/^ClusterName +=\s+simulated$/m);
  const unknown = await type("scontrol", "-o", "show", "job", "77");
  expect([unknown.rc, unknown.stderr]).toEqual([1, "slurm_load_jobs error: Invalid job id specified\n"]);
  const refused = await type("scontrol", "reconfigure");
  expect([refused.rc, refused.stderr]).toEqual([1, "the simulated Slurm: scontrol reconfigure is not in this model\n"]);
});

test("as a program it ends with whoever started it", async () => {
  const program = fileURLToPath(new URL("../../simulated-slurm.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, folder()], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exit = new Promise((resolve) => child.once("exit", resolve));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdin.end();
  expect(await exit).toBe(0);
});
