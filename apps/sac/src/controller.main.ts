/**
 * controller.main: SAC as a program: its real parts, its loop, its end.
 *
 * Fails   before it starts: no Slurm that answers, a state folder that cannot be written. After that every error is one
 *         pass's error.
 */
import { join } from "node:path";
import { defaultCluster } from "@reprise/core/identity/attempt-uuid.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { environment, hostName } from "@reprise/runtime/environment.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { type Loop, startLoop } from "@reprise/runtime/loop.ts";
import { tryOsLock } from "@reprise/runtime/os-lock.ts";
import { openBeside } from "./beside.ts";
import type { SacConfig } from "./config.ts";
import { takeIdentity } from "./identity.ts";
import { createJournal } from "./journal.ts";
import { openJournalFile } from "./journal-file.ts";
import { newState, type Parts, pass, type State } from "./sac.ts";
import { createServerClient } from "./server-client.ts";
import { createCommandSlurm } from "./slurm/command/command-slurm.ts";
import { createRunner } from "./slurm/command/run.ts";
import { waitForSettings } from "./slurm/command/settings.ts";
import { watchWake } from "./slurm/wake.ts";

const lockTriesEveryMs = 100;
const lockTries = 20;
/** A node without an epilog is COMPLETING for about 40 ms. */
const completingMs = 250;

/** @param openJournal How the journal reaches the disk; a test gives one that dies at a chosen write. */
export async function main(
  config: SacConfig,
  life: Life,
  openJournal: typeof openJournalFile = openJournalFile,
): Promise<void> {
  const { clock, chance, log } = life;
  const run = createRunner(clock);
  const settings = await waitForSettings(run, life);
  if (settings === undefined) return;
  const beside = openBeside(config.stateDir);
  const identity = await takeIdentity(config.stateDir, life);
  if (identity === undefined) return;
  const cluster = config.cluster ?? defaultCluster; // Only a site with several clusters names them.
  const server = createServerClient(config, clock);
  const parts: Parts = {
    config,
    cluster,
    holder: `${hostName()} ${identity.id}`,
    slurm: createCommandSlurm({
      run,
      clock,
      chance,
      log,
      env: environment(),
      stateDir: config.stateDir,
      cluster,
      node: process.execPath,
    }),
    server,
    journal: createJournal(openJournal(join(config.stateDir, "journal.jsonl"), clock.now()), chance.uuid),
    beside,
    lock: () => waitForLock(join(config.stateDir, "lock"), life),
    clock,
    log,
    gateFacts: (state) => gateFacts(config, state, beside),
    fence: (state) => ({ leaseTerm: state.lease?.term ?? beside.fence().leaseTerm, epoch: state.epoch }),
  };
  const state = newState(settings.requeueDelayMs, beside.fence().epoch, clock.now());
  log.info({ cluster, mode: config.mode, partitions: config.partitions }, `SAC watches ${settings.cluster}`);
  const loop = startLoop(life, "sac", config.pollMs, () => pass(parts, state));
  const wake = watchWake(join(config.stateDir, "wake"), waker(loop, life), (why) =>
    log.warn({ why }, "no wake-up from Slurm; polling goes on"),
  );
  const watching = watchServer(parts, life, loop);
  await Promise.all([loop.ended, watching]);
  wake.close();
  server.close();
  identity.release();
}

/**
 * Slurm tells of a job's end a moment before it shows it: what is still COMPLETING then is looked at once more. Wake-ups
 * in between are covered by that look, so that a cluster in which jobs end all the time does not make SAC look all the time.
 */
function waker(loop: Loop, { clock, signal }: Life): () => void {
  let isLookingAgain = false;
  return () => {
    if (isLookingAgain) return;
    isLookingAgain = true;
    loop.wake();
    void clock.sleep(completingMs, signal).then(() => {
      isLookingAgain = false;
      loop.wake();
    });
  };
}

function gateFacts(config: SacConfig, state: State, beside: ReturnType<typeof openBeside>) {
  return {
    mode: config.mode,
    partitions: config.partitions,
    ...(state.lease === undefined ? {} : { leaseExpiresAt: state.lease.expiresAt }),
    serverOkAt: state.serverOkAt,
    requireWatchdog: config.requireWatchdog,
    watchdog: beside.watchdogBeat(),
    isKillSwitchOn: beside.isKillSwitchOn(),
    restartsBegunAt: state.restartsBegunAt as readonly Instant[],
  };
}

async function waitForLock(path: string, { clock, signal }: Life): Promise<{ release(): void } | undefined> {
  for (let i = 0; i < lockTries && !signal.aborted; i++) {
    const lock = tryOsLock(path);
    if (lock !== undefined) return lock;
    await clock.sleep(lockTriesEveryMs, signal);
  }
  return undefined;
}

/** A stream that breaks is opened again; the poll goes on meanwhile. */
async function watchServer({ server, cluster, log }: Parts, life: Life, loop: Loop): Promise<void> {
  while (!life.signal.aborted) {
    await server
      .watch(cluster, () => loop.wake(), life.signal)
      .catch((error: unknown) => log.debug({ error: String(error) }, "the change stream broke"));
    await life.clock.sleep(1_000, life.signal);
  }
}
