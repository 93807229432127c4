/**
 * watchdog.main: the watchdog as a program. It needs Slurm and the journal, and neither server nor SAC.
 *
 * Keeps   when the program that started it is gone it stays until nothing of ours is held, and ends then.
 */
import { join } from "node:path";
import { environment } from "@reprise/runtime/environment.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { createMetrics, processMetrics } from "@reprise/runtime/metrics.ts";
import { serveMetrics } from "@reprise/runtime/metrics-listener.ts";
import { tryOsLock } from "@reprise/runtime/os-lock.ts";
import { openBeside } from "./beside.ts";
import type { WatchdogConfig } from "./config.ts";
import { createJournal } from "./journal.ts";
import { openJournalFile } from "./journal-file.ts";
import { newWatchdogState, type WatchdogParts } from "./loops/watch-once.ts";
import { runWatchdog, watchdogStanding } from "./run-watchdog.ts";
import { addWatchdogMetrics } from "./sac-metrics.ts";
import { createCommandSlurm } from "./slurm/command/command-slurm.ts";
import { createRunner } from "./slurm/command/run.ts";
import { measuredSlurm } from "./slurm-metrics.ts";

/** @param orphaned Aborted when whoever started the watchdog has gone. Its own `life.signal` ends it at once. */
export async function main(config: WatchdogConfig, life: Life, orphaned?: AbortSignal): Promise<void> {
  const { clock, chance, log } = life;
  const run = createRunner(clock);
  const metrics = createMetrics(log, processMetrics);
  const slurm = createCommandSlurm({
    run,
    clock,
    chance,
    log,
    env: environment(),
    stateDir: config.stateDir,
    cluster: "",
    node: process.execPath,
  });
  const parts: WatchdogParts = {
    config,
    slurm: measuredSlurm(slurm, metrics, clock),
    journal: createJournal(openJournalFile(join(config.stateDir, "journal.jsonl"), clock.now()), chance.uuid),
    beside: openBeside(config.stateDir),
    tryLock: () => tryOsLock(join(config.stateDir, "lock")),
    clock,
    log,
  };
  log.info({ mode: config.mode, failOpenAfterMs: config.failOpenAfterMs }, "the watchdog watches");
  const state = newWatchdogState(clock, parts.beside.watchdogBeat()?.silences);
  addWatchdogMetrics(metrics, () => watchdogStanding(config, state, clock.now()));
  const listener = config.metrics && serveMetrics(metrics, config.metrics, life);
  await runWatchdog(parts, config.pollMs, life, orphaned, state);
  listener?.close();
}
