/**
 * watchdog.main: the watchdog as a program. It needs Slurm and the journal, and neither server nor SAC.
 *
 * Keeps   when the program that started it is gone it stays until nothing of ours is held, and ends then.
 */
import { join } from "node:path";
import { environment } from "@reprise/runtime/environment.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { tryOsLock } from "@reprise/runtime/os-lock.ts";
import { openBeside } from "./beside.ts";
import type { WatchdogConfig } from "./config.ts";
import { createJournal } from "./journal.ts";
import { openJournalFile } from "./journal-file.ts";
import type { WatchdogParts } from "./loops/watch-once.ts";
import { runWatchdog } from "./run-watchdog.ts";
import { createCommandSlurm } from "./slurm/command/command-slurm.ts";
import { createRunner } from "./slurm/command/run.ts";

/** @param orphaned Aborted when whoever started the watchdog has gone. Its own `life.signal` ends it at once. */
export async function main(config: WatchdogConfig, life: Life, orphaned?: AbortSignal): Promise<void> {
  const { clock, chance, log } = life;
  const run = createRunner(clock);
  const parts: WatchdogParts = {
    config,
    slurm: createCommandSlurm({
      run,
      clock,
      chance,
      log,
      env: environment(),
      stateDir: config.stateDir,
      cluster: "",
      node: process.execPath,
    }),
    journal: createJournal(openJournalFile(join(config.stateDir, "journal.jsonl"), clock.now()), chance.uuid),
    beside: openBeside(config.stateDir),
    tryLock: () => tryOsLock(join(config.stateDir, "lock")),
    clock,
    log,
  };
  log.info({ mode: config.mode, failOpenAfterMs: config.failOpenAfterMs }, "the watchdog watches");
  await runWatchdog(parts, config.pollMs, life, orphaned);
}
