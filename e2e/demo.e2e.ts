/**
 * Goal    `reprise demo` does what it says, as a user runs it: a real job fails and comes back, the proof is one JSON object, nothing
 *         is left behind; and where it does not come back the exit code says so.
 * Method  the real command as a process of its own; what it leaves is looked for in /proc and on the disk. Two demos at once in each
 *         test that runs one to its end: so they are also seen not to collide.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { partPids } from "@reprise/cli/demo/part-pids.ts";
import type { DemoResult } from "@reprise/cli/demo/result.ts";
import { startReprise } from "@reprise/cli/demo/start-reprise.ts";
import { environment } from "@reprise/runtime/environment.ts";
import { systemClock as clock } from "@reprise/runtime/clock.ts";
import { finalLoss, readFaults } from "@reprise/slurm-lab/training-files.ts";
import { trainingJob } from "@reprise/slurm-lab/training-job.ts";
import { optIn, startWorld } from "./world/world.ts";

const program = fileURLToPath(new URL("../bin/reprise", import.meta.url));

interface Demo {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** The folder of its lab, once it has one. */
  labDir(): string | undefined;
  readonly exit: Promise<number | string>;
}

/** In a temporary folder of its own, so that all that it leaves is found there. */
function startDemo(flags: readonly string[], env: Readonly<Record<string, string>> = {}): Demo {
  const home = mkdtempSync(join(tmpdir(), "rd-"));
  const child = spawn(program, ["demo", ...flags], {
    env: { ...environment(), TMPDIR: home, ...env },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const text = { out: "", err: "" };
  child.stdout?.on("data", (chunk: Buffer) => (text.out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (text.err += chunk.toString()));
  const exit = new Promise<number | string>((resolve) =>
    child.once("close", (code, signal) => resolve(code ?? signal ?? "?")),
  );
  onTestFinished(async () => {
    interrupt(child);
    await exit;
    rmSync(home, { recursive: true, force: true });
  });
  const lab = () => readdirSync(home).find((name) => name.startsWith("rl-"));
  let known: string | undefined;
  return {
    child,
    out: () => text.out,
    err: () => text.err,
    labDir: () => (known ??= lab() === undefined ? undefined : join(home, lab() ?? "")),
    exit,
  };
}

/** As Ctrl-C does: the whole process group. */
function interrupt({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGINT");
}

async function until<T>(what: string, demo: Demo, look: () => T | undefined | false): Promise<T> {
  for (const since = clock.now(); clock.now() - since < 90_000; await clock.sleep(50)) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    if (demo.child.exitCode !== null) break;
  }
  throw new Error(`waited in vain until ${what}\n${demo.err()}`);
}

const labDirOf = (demo: Demo) => until("the lab has a folder", demo, demo.labDir);
const resultOf = (demo: Demo) => JSON.parse(demo.out().trimEnd().split("\n").at(-1) ?? "") as DemoResult;

/** No process that was started with anything of this folder, and no folder. */
function expectNothingLeft(dir: string): void {
  const left = readdirSync("/proc").filter(
    (pid) =>
      /^\d+$/.test(pid) && [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`].some((path) => read(path).includes(dir)),
  );
  expect(left.map((pid) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " "))).toEqual([]);
  expect(existsSync(dir)).toBe(false);
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

const number = expect.any(Number) as number;

async function expectRecovered(
  demo: Demo,
  exclusions: "n2" | "none",
  scheduler: DemoResult["scheduler"] = "slurm",
): Promise<void> {
  const dir = await labDirOf(demo);
  expect(await demo.exit, demo.err()).toBe(0);
  const result = resultOf(demo);
  expect(Object.keys(result)).toEqual([
    "recovered",
    "simulated",
    "scheduler",
    "jobId",
    "attempts",
    "advice",
    "slowdown",
    "resumedFromStep",
    "lastStepBeforeFault",
    "completed",
    "seconds",
  ]);
  expect(result).toEqual({
    recovered: true,
    simulated: scheduler === "simulated",
    scheduler,
    jobId: "1",
    attempts: [
      { attemptIndex: 0, state: expect.stringMatching(/^(STOPPED|FAILED)$/) as string, nodes: ["n1", "n2"] },
      { attemptIndex: 1, state: "COMPLETED", nodes: expect.any(Array) as string[] },
    ],
    advice: {
      desiredState: "RESTARTED",
      disposition: "CONVERGED",
      reason: "DESIRED_STATE_OBSERVED",
      exclusions: exclusions === "none" ? [] : [exclusions],
      generation: number,
    },
    slowdown: null,
    resumedFromStep: 20, // The newest of every 20 steps before the fault at step 24.
    lastStepBeforeFault: 23,
    completed: true,
    seconds: { detect: number, decide: number, act: number, running: number, resumed: number, converged: number },
  });
  const after = result.attempts[1]?.nodes ?? [];
  expect(after).toHaveLength(2);
  if (exclusions !== "none") expect(after).not.toContain(exclusions);
  const { detect, decide, act, converged } = result.seconds as Record<string, number>;
  expect([detect, decide, act, converged]).toEqual(
    [detect, decide, act, converged].toSorted((a, b) => (a ?? 0) - (b ?? 0)),
  );
  // The proof alone is on stdout; the story is beside it.
  expect(demo.out().trimEnd().split("\n")).toHaveLength(1);
  for (const told of [
    "FAULT at step 24",
    "signal: crash",
    "Advice 1: RESTARTED",
    "held:",
    "released",
    "confirmed by a second look",
    "training resumed from step 20",
    "COMPLETED",
  ])
    expect(demo.err()).toContain(told);
  expectNothingLeft(dir);
}

test("the fault ecc and the fault exit, in two demos at once, both recover; nothing is left of them", {
  timeout: 150_000,
}, async () => {
  const [ecc, exit] = [
    startDemo(["--json", "--steps", "60"]),
    startDemo(["--json", "--steps", "60", "--fault", "exit"]),
  ];
  await Promise.all([expectRecovered(ecc, "n2"), expectRecovered(exit, "none")]);
  expect(await labDirOf(ecc)).not.toBe(await labDirOf(exit));
});

test("the fault signal recovers; beside it a demo whose watcher is killed again and again says that nothing recovered", {
  timeout: 150_000,
}, async () => {
  const blind = startDemo(["--json", "--limit", "40"]);
  const signal = startDemo(["--json", "--steps", "60", "--fault", "signal"]);
  const dir = await labDirOf(blind);
  const slurmConf = join(dir, "etc", "slurm.conf");
  // `up` starts it again: it must not live long enough to read anything.
  let kills = 0;
  const killing = (async () => {
    while (blind.child.exitCode === null) {
      for (const pid of partPids("watcher", slurmConf)) {
        try {
          process.kill(pid, "SIGKILL");
          kills++;
        } catch {
          // It was on its way out.
        }
      }
      await clock.sleep(20);
    }
  })();
  await expectRecovered(signal, "none");
  expect(await blind.exit).toBe(1);
  await killing;
  expect(kills).toBeGreaterThan(1);
  expect(resultOf(blind)).toMatchObject({ recovered: false, completed: false, resumedFromStep: null, advice: null });
  expect(blind.err()).toContain("Not recovered: no Advice was written");
  expectNothingLeft(dir);
});

/** Programs of Slurm's names that must not be reached: each writes down that it was. */
function decoySlurm(): { readonly path: string; reached(): string } {
  const dir = mkdtempSync(join(tmpdir(), "rd-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const list = join(dir, "reached");
  for (const name of ["squeue", "sinfo", "scontrol", "scancel", "sbatch", "srun"])
    writeFileSync(join(dir, name), `#!/bin/sh\necho ${name} "$@" >>'${list}'\nexit 99\n`, { mode: 0o755 });
  return { path: `${dir}:${environment()["PATH"] ?? ""}`, reached: () => read(list) };
}

test("on the simulated Slurm the faults ecc, exit and signal recover without a program of a real one, and every line says so", {
  timeout: 240_000,
}, async () => {
  const decoy = decoySlurm();
  const recovers = async (kind: string, exclusions: "n2" | "none") => {
    const demo = startDemo(["--simulated", "--json", "--steps", "60", "--fault", kind], { PATH: decoy.path });
    await expectRecovered(demo, exclusions, "simulated");
    const told = demo.err().split("\n");
    expect(told.filter((line) => line !== "" && !line.startsWith("simulated "))).toEqual([]);
  };
  await Promise.all([recovers("ecc", "n2"), recovers("exit", "none")]);
  await recovers("signal", "none");
  expect(decoy.reached()).toBe("");
});

test("`up` beside a simulated Slurm sees a job that was submitted to it, and ends with all that ran in it", async () => {
  const dir = mkdtempSync(join(tmpdir(), "ru-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const [dataDir, logFile] = [join(dir, "data"), join(dir, "up.log")];
  const flags = ["--scheduler", "simulated", "--partitions", "gpu", "--insecure"];
  const up = await startReprise({ dataDir, env: environment(), flags, logFile });
  onTestFinished(up.stop);
  const sbatch = spawn(join(dataDir, "simulated", "bin", "sbatch"), [`--chdir=${dir}`, "--job-name=here"], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  sbatch.stdin.end("#!/bin/sh\nsleep 1000\n");
  const jobs = async () => await (await fetch(`${up.ready.http}/v1/jobs`)).text();
  await expect.poll(jobs, { timeout: 60_000 }).toMatch(/"state": ?"JOB_STATUS_RUNNING"/);
  await up.stop();
  rmSync(dir, { recursive: true });
  expectNothingLeft(dir);
});

test("--open prints an address that is signed in, stays when the story is over, and ends with Enter", async () => {
  const demo = startDemo(["--simulated", "--open", "--json", "--limit", "10"]);
  const dir = await labDirOf(demo);
  const [, url = "", token = ""] = await until(
    "the address is printed",
    demo,
    () => /signed in: (http:\S+)\/#token=(\S+)/.exec(demo.err()) ?? undefined,
  );
  const get = (path: string, headers: Record<string, string>) => fetch(`${url}${path}`, { headers });
  expect((await get("/", { accept: "text/html" })).status).toBe(200);
  await until("the story is over", demo, () => demo.err().includes("Enter ends it"));
  expect(resultOf(demo).recovered).toBe(false); // In ten seconds nothing is; how it ended is another test's.
  expect((await get("/reprise/v1/me", { authorization: `Bearer ${token}` })).status).toBe(200);
  demo.child.stdin?.write("\n");
  expect(await demo.exit).toBe(1);
  expectNothingLeft(dir);
});

test("Ctrl-C on the simulated Slurm cleans up everything", async () => {
  const demo = startDemo(["--simulated", "--json", "--steps", "60"]);
  const dir = await labDirOf(demo);
  await until("the job is held", demo, () => demo.err().includes("held:"));
  interrupt(demo.child);
  expect(await demo.exit).toBe(130);
  expectNothingLeft(dir);
});

test("Ctrl-C in the middle of a recovery cleans up everything", async () => {
  const demo = startDemo(["--json", "--steps", "60"]);
  const dir = await labDirOf(demo);
  // Between the hold and the end: the watchdog would have a reason to stay.
  await until("the job is held", demo, () => demo.err().includes("held:"));
  interrupt(demo.child);
  expect(await demo.exit).toBe(130);
  expect(demo.out()).toBe("");
  expectNothingLeft(dir);
});

test("Ctrl-C while Slurm is being started cleans up everything", async () => {
  const demo = startDemo([]);
  const dir = await labDirOf(demo);
  interrupt(demo.child);
  expect(await demo.exit).toBe(130);
  expectNothingLeft(dir);
});

test("a fault that the demo does not have is refused, with the ones that it has", async () => {
  const demo = startDemo(["--fault", "burn"]);
  expect(await demo.exit).toBe(2);
  expect(demo.err()).toContain(
    '--fault: "burn" is not a fault of the demo; expected one of ecc, exit, signal, hang, slow',
  );
  expect(demo.out()).toBe("");
  expect(demo.labDir()).toBeUndefined();
});

test("a training that failed, came back and resumed ends with the loss of one that never failed", async () => {
  const world = await startWorld();
  onTestFinished(async () => await world.stop());
  const submit = async (name: string, faults: Parameters<typeof trainingJob>[0]["faults"] & {}) => {
    const dir = join(world.lab.sharedDir, name);
    mkdirSync(dir);
    const job = trainingJob({
      dir,
      nodeProgram: process.execPath,
      steps: 60,
      checkpointEvery: 10,
      faults,
      comment: optIn(),
    });
    return { dir, jobId: await world.lab.sbatch(job.script, job.args) };
  };
  const failing = await submit("failing", [{ attempt: 0, node: 1, step: 25, kind: "ecc" }]);
  const steady = await submit("steady", []);
  const completed = (jobId: string) =>
    world.until(`job ${jobId} to complete`, async () => (await world.slurm(jobId))?.state === "COMPLETED", 90_000);
  await Promise.all([completed(failing.jobId), completed(steady.jobId)]);
  expect(readFaults(failing.dir)).toHaveLength(1);
  expect((await world.slurm(failing.jobId))?.restarts).toBe(1);
  expect((await world.slurm(steady.jobId))?.restarts).toBe(0);
  const [recovered, uninterrupted] = [finalLoss(failing.dir), finalLoss(steady.dir)];
  expect(Math.abs((recovered ?? Number.NaN) - (uninterrupted ?? Number.NaN))).toBeLessThanOrEqual(1e-6);
});
