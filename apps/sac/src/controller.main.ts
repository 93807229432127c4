/**
 * controller.main: SAC as a program: its real parts, and its end.
 *
 * Fails   before it starts: no Slurm that answers, a state folder that cannot be written. After that every error is one
 *         pass's error.
 */
import { join } from "node:path";
import { defaultCluster } from "@reprise/core/identity/attempt-uuid.ts";
import { environment, hostName } from "@reprise/runtime/environment.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { createMetrics, processMetrics } from "@reprise/runtime/metrics.ts";
import { serveMetrics } from "@reprise/runtime/metrics-listener.ts";
import { tryOsLock } from "@reprise/runtime/os-lock.ts";
import { openBeside } from "./beside.ts";
import type { SacConfig } from "./config.ts";
import { startController } from "./controller.ts";
import { takeIdentity } from "./identity.ts";
import { createJournal } from "./journal.ts";
import { openJournalFile } from "./journal-file.ts";
import { addSacMetrics, measuredServer } from "./sac-metrics.ts";
import { createServerClient } from "./server-client.ts";
import { createCommandSlurm } from "./slurm/command/command-slurm.ts";
import { createRunner } from "./slurm/command/run.ts";
import { waitForSettings } from "./slurm/command/settings.ts";
import { measuredSlurm } from "./slurm-metrics.ts";
import { watchWake } from "./slurm/wake.ts";

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
  const metrics = createMetrics(log, processMetrics);
  const server = measuredServer(createServerClient(config, clock), metrics, clock);
  const slurm = createCommandSlurm({
    run,
    clock,
    chance,
    log,
    env: environment(),
    stateDir: config.stateDir,
    cluster,
    node: process.execPath,
  });
  const controller = startController(
    {
      config,
      cluster,
      holder: `${hostName()} ${identity.id}`,
      slurm: measuredSlurm(slurm, metrics, clock),
      server,
      newName: chance.uuid,
      journal: createJournal(openJournal(join(config.stateDir, "journal.jsonl"), clock.now()), chance.uuid),
      beside,
      tryLock: () => tryOsLock(join(config.stateDir, "lock")),
    },
    life,
  );
  log.info({ cluster, mode: config.mode, partitions: config.partitions }, `SAC watches ${settings.cluster}`);
  const wake = watchWake(join(config.stateDir, "wake"), controller.jobEnded, (why) =>
    log.warn({ why }, "no wake-up from Slurm; polling goes on"),
  );
  addSacMetrics(metrics, controller.standing);
  const listener = config.metrics && serveMetrics(metrics, config.metrics, life);
  await controller.ended;
  listener?.close();
  wake.close();
  server.close();
  identity.release();
}
