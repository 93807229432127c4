/**
 * latency: from a line's being written to its signal's being stored, with many logs that grow.
 *
 * Takes   `LOGS SECONDS`.
 * Gives   one JSON object on stdout. Server, database, watcher and files are real; the watcher is in this process, because the moment
 *         at which the server has acknowledged a report is the moment at which its transaction is durable.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker, isMainThread, workerData } from "node:worker_threads";
import { quantileOfSorted } from "@reprise/core/figures/quantile.ts";
import { systemClock as clock } from "@reprise/runtime/clock.ts";
import { startLoop } from "@reprise/runtime/loop.ts";
import { systemChance } from "@reprise/runtime/chance.ts";
import { createMatcher } from "@reprise/watcher/match/matcher.ts";
import { loadSignatures } from "@reprise/watcher/match/pack-files.ts";
import { createServerClient } from "@reprise/watcher/server-client.ts";
import { createFileSource } from "@reprise/watcher/source/lanes/lane-source.ts";
import { claimEveryMs, createWatcher, tailEveryMs } from "@reprise/watcher/watch-once.ts";
import { publish, startPrograms } from "./programs.ts";

const settleMs = 8_000;
const tellWithinMs = 60_000;

/** A step a second in each log, and one fatal line in each, spread over the time. */
async function writeLogs({ paths, seconds }: { paths: readonly string[]; seconds: number }): Promise<void> {
  const began = clock.now();
  const slots = 50;
  for (let tick = 0; tick < (seconds * 1000 + settleMs) / 20; tick++) {
    const mine = paths.filter((_, n) => n % slots === tick % slots);
    const step = Math.floor(tick / slots) + 1;
    for (const path of mine)
      appendFileSync(
        path,
        ` iteration ${step}/ 100000 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.1E+00 |\n`,
      );
    const [from, to] = [tick, tick + 1].map((t) => Math.floor(((t * 20 - settleMs) / 1000 / seconds) * paths.length));
    for (let n = Math.max(0, from!); n < Math.min(paths.length, to!); n++)
      appendFileSync(
        paths[n]!,
        `[rank3]: RuntimeError: CUDA error: uncorrectable ECC error encountered, written at ${clock.now()}\n`,
      );
    await clock.sleep(Math.max(0, began + (tick + 1) * 20 - clock.now()));
  }
}

async function measure(logs: number, seconds: number): Promise<object> {
  const programs = await startPrograms();
  const paths = Array.from({ length: logs }, (_, n) => join(programs.folder, `${n}.log`));
  const end = new AbortController();
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const life = { clock, chance: systemChance, log: quiet, signal: end.signal };
  const latencies: number[] = [];
  try {
    const now = new Date(clock.now());
    for (let n = 0; n < logs; n += 500)
      await publish(
        programs.http,
        paths.slice(n, n + 500).map((stdout, k) => ({ jobId: `${n + k}`, stdout })),
        now,
        now,
      );
    const client = createServerClient({ server: programs.grpc }, clock);
    const server: typeof client = {
      ...client,
      async reportSignals(report) {
        await client.reportSignals(report);
        const storedAt = clock.now();
        for (const { evidence } of report.signals) {
          const written = /written at (\d+)/.exec(evidence.line)?.[1];
          if (written !== undefined) latencies.push(storedAt - Number(written));
        }
      },
    };
    const signatures = loadSignatures([fileURLToPath(new URL("../../../signatures", import.meta.url))]);
    const source = createFileSource(clock);
    const watcher = createWatcher({
      watcherId: "w",
      targetsMax: logs,
      server,
      source,
      matcher: createMatcher(signatures),
      clock,
      log: quiet,
    });
    const writer = new Worker(new URL(import.meta.url), { workerData: { paths, seconds } });
    const loops = [
      startLoop(life, "claim", claimEveryMs, () => watcher.claimOnce()),
      startLoop(life, "tail", tailEveryMs, () => watcher.tailOnce()),
    ];
    await new Promise((resolve) => writer.once("exit", resolve));
    // A line that was never told would be missing in the count.
    for (const since = clock.now(); latencies.length < logs && clock.now() - since < tellWithinMs; )
      await clock.sleep(100);
    end.abort();
    await Promise.all(loops.map((loop) => loop.ended));
    source.close();
    client.close();
  } finally {
    await programs.stop();
  }
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => quantileOfSorted(sorted, share);
  return { logs, seconds, told: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: sorted.at(-1) };
}

if (isMainThread) {
  const [, , logs = "1000", seconds = "30"] = process.argv;
  process.stdout.write(`${JSON.stringify(await measure(Number(logs), Number(seconds)))}\n`);
} else await writeLogs(workerData as { paths: readonly string[]; seconds: number });
