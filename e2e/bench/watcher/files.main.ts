/**
 * files: what 5,000 tailed files cost one watcher: CPU of a sweep while nothing is written, and memory.
 *
 * Takes   `FOLDER FILES`.
 * Gives   one JSON object on stdout. The watcher, its files and its thread are real; the server is one that says yes.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "@reprise/core/figures/quantile.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { createMatcher } from "@reprise/watcher/match/matcher.ts";
import { loadSignatures } from "@reprise/watcher/match/pack-files.ts";
import type { Server, Target } from "@reprise/watcher/server.ts";
import { createFileSource } from "@reprise/watcher/source/lanes/lane-source.ts";
import { createWatcher } from "@reprise/watcher/watch-once.ts";

const [, , folder = ".", count = "5000"] = process.argv;
const passes = 40;
const realPasses = 80;
const line = (step: number) =>
  ` iteration ${step}/ 100000 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.1E+00 |\n`;

let now = 1_900_000_000_000;
const clock = { now: () => now, elapsed: () => now, sleep: () => Promise.resolve() };
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const targets: Target[] = Array.from({ length: Number(count) }, (_, n) => ({
  heimdallJobId: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
  jobId: `${n}`,
  attemptIndex: 0,
  jobName: "train",
  nodes: ["n1", "n2"],
  gpuCountPerNode: 8,
  slurm: { stdout: join(folder, `${n}.log`), workDir: "/", startTime: 1_000 },
  logPaths: [],
  silence: { pretrainingMs: 3_600_000, trainingLoopMs: 1_800_000 },
  slowdown: false,
  ended: false,
  positions: [],
  earlier: [],
  nodeLines: [],
  nodeLinesNumber: 0,
  version: "1",
}));
let signals = 0;
const server: Server = {
  claimTargets: () => Promise.resolve({ targets, unchanged: [], leaseMs: 1e12 }),
  claimNodeLogs: () => Promise.resolve({ nodeLogs: [], leaseMs: 1e12 }),
  reportNodeLines: () => Promise.resolve(),
  reportCourses: () => Promise.resolve(),
  reportSignals: (report) => {
    signals += report.signals.length;
    return Promise.resolve();
  },
};
const write = (step: number) => {
  for (const { slurm } of targets) appendFileSync(slurm["stdout"] as string, line(step));
};

write(1);
const signatures = loadSignatures([fileURLToPath(new URL("../../../signatures", import.meta.url))]);
const source = createFileSource(clock);
const watcher = createWatcher({
  watcherId: "w",
  targetsMax: targets.length,
  server,
  source,
  matcher: createMatcher(signatures),
  clock,
  log,
});
await watcher.claimOnce();

/** @returns milliseconds of CPU, of this process and all its threads. */
async function pass(afterMs: number): Promise<number> {
  now += afterMs;
  const began = process.cpuUsage();
  while ((await watcher.tailOnce()) === 0);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

for (let step = 2; step < 30; step++) {
  write(step);
  await pass(225);
}
while (signals < targets.length) await pass(225); // The first pass over a file system takes several.
const growing = [];
for (let step = 30; step < 40; step++) {
  write(step);
  growing.push(await pass(225));
}
await pass(2_500); // The last steps are told.
const warm = [];
for (let n = 0; n < passes; n++) warm.push(await pass(1));
await pass(61_000); // From here on the files are cold: each is looked at every 900 ms.
const cold = [];
for (let n = 0; n < passes; n++) {
  cold.push(await pass(900));
}

// Memory as a watcher lives: a pass each 225 ms, every file a line a second.
let rssMiB = 0;
for (let n = 0; n < realPasses; n++) {
  if (n % 4 === 0) write(100 + n);
  await pass(225);
  await systemClock.sleep(225);
  rssMiB = process.memoryUsage().rss / 1024 / 1024;
}
const result = {
  files: targets.length,
  growingMs: median(growing),
  warmMs: median(warm),
  coldMs: median(cold),
  rssMiB,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
source.close();
