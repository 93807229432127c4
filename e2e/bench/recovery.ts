/**
 * recovery: measures recoveries on a real Slurm, with Slurm's own requeue beside them, and writes its parts of `docs/benchmarks.md`.
 *
 * Takes   `--quick` for a handful of faults; then nothing is written.
 * Gives   progress on stderr, the parts on stdout and in docs/. Exit code 0 when everything recovered, whatever it took.
 * Bound   `recoveredWithinMs` after the last fault.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { systemClock as clock } from "@reprise/runtime/clock.ts";
import { processLife } from "@reprise/runtime/life.ts";
import { createLog } from "@reprise/runtime/log.ts";
import { installPackages, missingPackages } from "@reprise/slurm-lab/packages.ts";
import { readFaults } from "@reprise/slurm-lab/training-files.ts";
import { instant } from "@reprise/cli/render/time.ts";
import { disposition, startWorld, type World } from "../world/world.ts";
import { figuresOf, type Recovery } from "./figures.ts";
import { benchJob, type JobKind, slurmsOwnExitCode } from "./jobs.ts";
import { withPart } from "./parts.ts";
import { type Machine, parts, type Result } from "./report.ts";
import { type SlurmTimes, watchSlurmTimes } from "./slurm-times.ts";

const submitEveryMs = 4_000;
const recoveredWithinMs = 200_000;
const askEveryMs = 1_000;
/** Before that nobody asks whether a running successor is confirmed. */
const confirmedAfterMs = 6_000;
const document = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));

const { values: flags } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const counts: Readonly<Record<JobKind, number>> = flags.quick
  ? { slurm: 1, training: 1, stuck: 1, deaf: 0, exit: 1 }
  : { slurm: 5, training: 3, stuck: 10, deaf: 2, exit: 5 };

const say = (text: string) => void process.stderr.write(`${text}\n`);

interface Submitted {
  readonly kind: JobKind;
  readonly jobId: string;
  readonly folder: string;
}

/** Slurm's default timings, and the wake-up script with its link into the folder that SAC will have. */
async function startBench(): Promise<World> {
  if (missingPackages().length > 0) await installPackages(say);
  const extraConf = [`RequeueExit=${slurmsOwnExitCode}`];
  return startWorld({ lab: { credExpireSeconds: 120, killWaitSeconds: 30, extraConf } });
}

/** Slurm's own first, since they take longest; then the kinds mixed. */
function order(): JobKind[] {
  const left = { ...counts, slurm: 0 };
  const mixed: JobKind[] = [];
  for (const total = Object.values(left).reduce((a, b) => a + b, 0); mixed.length < total; ) {
    for (const kind of ["training", "stuck", "exit", "stuck", "deaf"] as const) {
      if (left[kind] === 0) continue;
      left[kind]--;
      mixed.push(kind);
    }
  }
  return mixed;
}

async function submit(world: World, kind: JobKind, number: number): Promise<Submitted> {
  const folder = join(world.lab.sharedDir, `${number}-${kind}`);
  mkdirSync(folder);
  const { script, args } = benchJob(kind, folder, process.execPath);
  const jobId = await world.lab.sbatch(script, args);
  say(`job ${jobId}: ${kind}`);
  return { kind, jobId, folder };
}

function faultTime({ kind, folder, jobId }: Submitted): number | undefined {
  if (kind === "training") return instant(readFaults(folder)[0]?.at);
  return Number(readFileSync(join(folder, `fault-${jobId}`), "utf8"));
}

/** Waits until one job has come back in every way that its kind can. Seldom asks: the server is what is measured. */
async function measure(world: World, times: SlurmTimes, job: Submitted): Promise<Result> {
  const { kind, jobId } = job;
  const since = clock.now();
  let recovery = await look(world, times, job);
  for (; recovery === undefined; recovery = await look(world, times, job)) {
    if (clock.now() - since > recoveredWithinMs)
      throw new Error(`job ${jobId} (${kind}) has not recovered within ${recoveredWithinMs} ms`);
    await clock.sleep(askEveryMs);
  }
  const figures = figuresOf(recovery);
  say(
    `job ${jobId}: ${kind} recovered: ${Object.entries(figures)
      .map(([name, s]) => `${name} ${s.toFixed(2)}`)
      .join(", ")}`,
  );
  return { kind, jobId, figures };
}

async function look(world: World, times: SlurmTimes, job: Submitted): Promise<Recovery | undefined> {
  const { kind, jobId } = job;
  const [pendingAt, runningAt] = [times.firstSeen(jobId, 1, "PENDING"), times.firstSeen(jobId, 1, "RUNNING")];
  if (pendingAt === undefined || runningAt === undefined || clock.now() < runningAt + confirmedAfterMs)
    return undefined;
  const story = await world.attempt(jobId, 0);
  if (story === undefined || disposition(story.advice?.at(-1)) !== "CONVERGED") return undefined;
  if (kind === "training" && story.seconds?.["resumed"] === undefined) return undefined;
  const faultAt = faultTime(job);
  return faultAt === undefined ? undefined : { kind, faultAt, story, pendingAt, runningAt };
}

/** PENDING → RUNNING under Slurm's own requeue (s). */
async function measureSlurmsOwn(world: World, times: SlurmTimes, { jobId }: Submitted): Promise<number> {
  const runningAt = await world.until(
    `Slurm restarts job ${jobId} itself`,
    () => times.firstSeen(jobId, 1, "RUNNING"),
    recoveredWithinMs,
  );
  return (runningAt - (times.firstSeen(jobId, 1, "PENDING") ?? Number.NaN)) / 1000;
}

async function machineOf(world: World, load: number): Promise<Machine> {
  const { stdout } = await world.lab.run("sinfo", ["--version"]);
  const os = /^PRETTY_NAME="(.*)"$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? type();
  return {
    cores: cpus().length,
    cpu: cpus()[0]?.model.replaceAll(/\s+/g, " ").trim() ?? "unknown",
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    os: `${os}, kernel ${/^\d+\.\d+/.exec(release())?.[0] ?? "unknown"}`,
    slurm: stdout.trim().replace(/^slurm(-wlm)? /, ""),
    node: process.versions.node,
    load,
  };
}

async function bench(world: World, load: number): Promise<string> {
  const times = watchSlurmTimes(world.lab, clock);
  try {
    const own = [];
    for (let i = 0; i < counts.slurm; i++) own.push(await submit(world, "slurm", i));
    const results: Promise<Result>[] = [];
    for (const [i, kind] of order().entries()) {
      results.push(measure(world, times, await submit(world, kind, counts.slurm + i)));
      await clock.sleep(submitEveryMs);
    }
    const recoveries = await Promise.all(results);
    say("waiting for Slurm's own requeues");
    const slurmsOwn = await Promise.all(own.map((job) => measureSlurmsOwn(world, times, job)));
    const date = new Date(clock.now()).toISOString().slice(0, 10);
    return parts({ machine: await machineOf(world, load), date, recoveries, slurmsOwn });
  } finally {
    await times.stop();
  }
}

const load = loadavg()[0] ?? 0;
const world = await startBench();
const cleanUp = async () => {
  await world.stop();
};
const { signal } = processLife(createLog({ name: "bench", level: "warn", isPretty: true }));
signal.addEventListener("abort", () => void cleanUp().then(() => process.exit(130)));
try {
  const text = await bench(world, load);
  process.stdout.write(text);
  if (!flags.quick) writeFileSync(document, withPart(readFileSync(document, "utf8"), text));
} finally {
  if (!signal.aborted) await cleanUp();
}
