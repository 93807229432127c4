/**
 * Goal    an operator's canary proves recovery on a real Slurm, step by step; says in observe mode what would be done; leaves nothing behind.
 * Method  the command itself beside a running Reprise, first acting, then observing, then stopped by Ctrl-C; Slurm is asked what is left.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { environment } from "@reprise/runtime/environment.ts";
import { acting, startWorld, type World } from "./world/world.ts";

const program = fileURLToPath(import.meta.resolve("@reprise/cli/main.ts"));

interface Report {
  readonly passed: boolean;
  readonly outcome: string;
  readonly jobId: string;
  readonly steps: readonly { readonly name: string; readonly verdict: string; readonly says: string }[];
}

let world: World;
let folder: string;
beforeAll(async () => {
  world = await startWorld();
  folder = join(world.lab.sharedDir, "canary");
  mkdirSync(folder);
});
afterAll(async () => await world?.stop());

function startCanary(...more: readonly string[]): ChildProcess {
  const { ready } = world.reprise();
  const flags = [
    "--partition",
    "gpu",
    "--folder",
    folder,
    "--url",
    ready.http,
    "--data",
    world.dataDir,
    "--json",
    ...more,
  ];
  const env = { ...environment(), ...world.lab.env };
  return spawn(process.execPath, [program, "canary", ...flags], { env, stdio: ["ignore", "pipe", "pipe"] });
}

async function endOf(child: ChildProcess): Promise<{ code: number | null; report: Report; told: string }> {
  let [out, told] = ["", ""];
  child.stdout?.on("data", (part: Buffer) => (out += part.toString()));
  child.stderr?.on("data", (part: Buffer) => (told += part.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  expect(out, told).not.toBe("");
  return { code, report: JSON.parse(out) as Report, told };
}

const verdicts = ({ steps }: Report) => steps.map(({ name, verdict }) => `${name}: ${verdict}`);
const leftBehind = async () => {
  const { stdout } = await world.lab.run("squeue", ["--noheader", "--states=PENDING,RUNNING,COMPLETING"]);
  return [stdout.trim(), readdirSync(folder)];
};

test("an acting Reprise passes every step, and nothing is left behind", async () => {
  const other = await world.submit("sleep 600");
  const { code, report, told } = await endOf(startCanary("--fail-open"));
  expect(verdicts(report), told).toEqual([
    "known: ok",
    "started: ok",
    "failed: ok",
    "recognised: ok",
    "advised: ok",
    "requeued, held: ok",
    "constrained: ok",
    "released: ok",
    "started again: ok",
    "completed: ok",
    "confirmed: ok",
    "restarted once: ok",
    "watchdog lives: ok",
    "watchdog sees Slurm: ok",
    "watchdog may release: ok",
    "fail-open: ok",
  ]);
  expect([code, report.passed, report.outcome]).toEqual([0, true, "passed"]);
  expect(await world.slurm(report.jobId)).toMatchObject({ state: "COMPLETED", restarts: 1 });
  expect(await world.slurm(other)).toMatchObject({ state: "RUNNING", restarts: 0 });
  await world.lab.run("scancel", [other]);
  await world.until("the queue to be empty", async () => (await leftBehind())[0] === "");
  expect(await leftBehind()).toEqual(["", []]);
  // The watchdog that runs has had nothing to do with the second job.
  expect(readFileSync(join(world.dataDir, "sac", "journal.jsonl"), "utf8")).not.toContain("watchdog-release");
  // The node is kept away from by this job alone.
  const nodes = await world.lab.run("scontrol", ["-o", "show", "nodes"]);
  expect(nodes.stdout).not.toContain("DRAIN");
});

test("Ctrl-C ends it, and cancels its job", async () => {
  const child = startCanary();
  const ended = endOf(child);
  await world.until("its job to run", async () => {
    const { stdout } = await world.lab.run("squeue", ["--noheader", "--states=RUNNING", "--format=%j"]);
    return stdout.includes("reprise-canary-");
  });
  child.kill("SIGINT");
  const { code, report } = await ended;
  expect([code, report.passed]).toEqual([1, false]);
  await world.until("its job to be cancelled", async () => (await world.slurm(report.jobId))?.state === "CANCELLED");
});

test("in observe mode it says what would have been done, passes as far as that goes, and leaves no Advice open", async () => {
  await world.reprise().stop();
  await world.startReprise([]);
  const { code, report, told } = await endOf(startCanary());
  expect(verdicts(report).slice(0, 7), told).toEqual([
    "known: ok",
    "started: ok",
    "failed: ok",
    "recognised: ok",
    "advised: ok",
    "requeued, held: would",
    "constrained: unproven",
  ]);
  expect([code, report.outcome]).toEqual([0, "observed"]);
  expect(await world.slurm(report.jobId)).toMatchObject({ state: "FAILED", restarts: 0, excluded: "" });
  expect((await world.advice(report.jobId))?.active).not.toBe(true);
  await world.reprise().stop();
  await world.startReprise(acting);
});
