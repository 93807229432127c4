/**
 * wave: many jobs that failed at one instant, brought back by an acting SAC: held, constrained, released.
 *
 * Takes   argv: a state folder, how many jobs there are, a file to open when all run (each of them waits for it, and fails). Slurm by the
 *         environment.
 * Gives   one line of JSON: `Wave`.
 * Method  the real controller, journal and commands; the server is a port in memory that advises each failed attempt to be restarted
 *         without `n1`. Slurm's own delay is not skipped, so that nothing starts meanwhile. What slurmctld was asked is its own count
 *         (`sdiag`, twice a second).
 */
import { openSync, closeSync } from "node:fs";
import { join } from "node:path";
import { limits } from "@reprise/core/limits.ts";
import { noOrders } from "@reprise/core/mode/cluster-orders.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import { systemChance } from "@reprise/runtime/chance.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { environment } from "@reprise/runtime/environment.ts";
import { createLog } from "@reprise/runtime/log.ts";
import { tryOsLock } from "@reprise/runtime/os-lock.ts";
import { openBeside } from "@reprise/sac/beside.ts";
import { startController } from "@reprise/sac/controller.ts";
import { openJournalFile } from "@reprise/sac/journal-file.ts";
import { createJournal } from "@reprise/sac/journal.ts";
import type { AttemptReport, Server } from "@reprise/sac/server.ts";
import { createCommandSlurm } from "@reprise/sac/slurm/command/command-slurm.ts";
import { commandEnvironment } from "@reprise/sac/slurm/command/environment.ts";
import { createRunner } from "@reprise/sac/slurm/command/run.ts";

export interface Wave {
  readonly jobs: number;
  /** Seconds from the instant at which they failed to the last job's command having returned. */
  readonly lastHeld: number;
  readonly lastConstrained: number;
  readonly lastReleased: number;
  /** Of the jobs, between the first and the last that was released. */
  readonly commands: number;
  /** Jobs whose steps are not exactly one of each, in order. */
  readonly irregular: number;
  /** Most requests to slurmctld between two counts, by the second; and commands among them. */
  readonly asksPerSecond: number;
  /** Milliseconds of a `scontrol update` by itself, so many at the same time, on this machine, right after. */
  readonly callMs: number;
}

const [stateDir = "", count = "0", gate = ""] = process.argv.slice(2);
const jobs = Number(count);
const clock = systemClock;
const stop = new AbortController();
const life = {
  clock,
  chance: systemChance,
  log: createLog({ name: "wave", level: "warn", isPretty: false }),
  signal: stop.signal,
};
const run = createRunner(clock);
const env = commandEnvironment(environment());
const released = Promise.withResolvers<void>();

const work = new Map<string, Work>();
function adviseFor({ jobId, attemptIndex, schedulerMetadata }: AttemptReport): void {
  const slurm = schedulerMetadata["slurm"] as { readonly slurmState?: string; readonly submitTime?: number };
  if (slurm.slurmState !== "FAILED" || attemptIndex !== 0) return;
  const expiresAt = clock.now() + limits.adviceLifeMs;
  work.set(jobId, {
    heimdallJobId: `id-${jobId}`,
    jobId,
    attemptIndex,
    sourceSubmitAt: slurm.submitTime ?? 0,
    generation: 1,
    desired: "RESTARTED",
    exclusions: [{ node: "n1", confidence: 0.9, expiresAt }],
    authorExclusions: [],
    startDelayMs: 0,
    restartsCompleted: false,
    logEnded: true,
    withdrawn: false,
    expiresAt,
    partition: "wave",
  });
}

const journal = createJournal(openJournalFile(join(stateDir, "journal.jsonl"), clock.now()), systemChance.uuid);
const server: Server = {
  async reportPass({ changed, steps }) {
    for (const attempt of changed) adviseFor(attempt);
    return { confirmedStepKeys: steps.map(({ key }) => key), isTaken: true };
  },
  acquireLease: async () => ({ isHeld: true, term: 1, expiresAt: clock.now() + limits.leaseMs }),
  async listWork() {
    const isReleased = (id: string) => journal.stepsOf(id).some((s) => s.action === "release" && s.outcome === "done");
    if (work.size === jobs && [...work.values()].every(({ heimdallJobId }) => isReleased(heimdallJobId)))
      released.resolve();
    return [...work.values()];
  },
  orders: async () => ({ orders: noOrders }),
  reportStatus: async () => {},
  recordMilestone: async () => {},
  watch: (_cluster, _onChange, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
};

const controller = startController(
  {
    config: {
      mode: "act",
      partitions: ["wave"],
      slurmReleases: [],
      skipRequeueDelay: false,
      restartsPerMinuteMax: 100_000,
      pollMs: 2_000,
      requireWatchdog: false,
      failOpenAfterMs: limits.failOpenAfterMs,
      serverGraceMs: limits.serverGraceMs,
    },
    cluster: "default",
    holder: "bench",
    slurm: createCommandSlurm({
      run,
      clock,
      chance: systemChance,
      log: life.log,
      env: environment(),
      stateDir,
      cluster: "default",
      node: process.execPath,
    }),
    server,
    newName: systemChance.uuid,
    journal,
    beside: openBeside(stateDir),
    tryLock: () => tryOsLock(join(stateDir, "lock")),
  },
  life,
);

/** What slurmctld has been asked by programs, as it counts itself; not what its nodes tell it, nor this question. */
async function asks(): Promise<{ readonly at: number; readonly count: number }> {
  const { stdout } = await run("sdiag", [], { limitMs: 10_000, env });
  const counts = [...stdout.matchAll(/^\s*(REQUEST_\w+)\s*\(\s*\d+\)\s*count:(\d+)/gm)];
  const isOurs = (name = "") =>
    /JOB_INFO|NODE_INFO|PARTITION_INFO|BUILD_INFO|UPDATE_JOB|JOB_REQUEUE|SUSPEND/.test(name);
  return {
    at: clock.elapsed(),
    count: counts.reduce((sum, [, name, n]) => sum + (isOurs(name) ? Number(n) : 0), 0),
  };
}

await clock.sleep(5_000); // It looks, and has nothing to do.
const failedAt = clock.now();
closeSync(openSync(gate, "w"));
let isOver = false;
void released.promise.then(() => (isOver = true));
let asksPerSecond = 0;
for (let before = await asks(); !isOver; ) {
  await clock.sleep(500);
  const now = await asks();
  asksPerSecond = Math.max(asksPerSecond, ((now.count - before.count) * 1000) / (now.at - before.at));
  before = now;
}
stop.abort();
await controller.ended;

const all = journal.all();
const last = (action: string) =>
  (Math.max(...all.filter((s) => s.action === action && s.outcome === "done").map((s) => s.endedAt ?? 0)) - failedAt) /
  1000;
const isRegular = ({ heimdallJobId }: Work) => {
  const done = journal.stepsOf(heimdallJobId).flatMap((s) => (s.outcome === "done" ? [s.action] : []));
  return (
    done.slice(0, 3).join() === "requeue-hold,update-constraints,release" &&
    done.filter((a) => a === "requeue-hold").length === 1
  );
};

const names = [...work.keys()];
const calls = 200;
let next = 0;
const begun = clock.elapsed();
const call = async () => {
  for (let i = next++; i < calls; i = next++)
    await run("scontrol", ["update", `JobId=${names[i % names.length]}`, "Comment=bench"], { limitMs: 30_000, env });
};
await Promise.all(Array.from({ length: limits.commandsAtOnceMax }, call));
const callMs = (clock.elapsed() - begun) / calls;

const result: Wave = {
  jobs: work.size,
  lastHeld: last("requeue-hold"),
  lastConstrained: last("update-constraints"),
  lastReleased: last("release"),
  commands: all.filter((s) => s.outcome === "done").length,
  irregular: [...work.values()].filter((one) => !isRegular(one)).length,
  asksPerSecond,
  callMs,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);
