/**
 * main: the watcher as a program.
 *
 * Takes   where the server is, who this watcher is, and the folders with signatures.
 * Gives   returns when its life has ended and what was read is reported.
 * Fails   throws at once for signatures that cannot be read; afterwards a server that is away is waited for.
 */
import { type Loop, startLoop } from "@reprise/runtime/loop.ts";
import type { Life, Log } from "@reprise/runtime/life.ts";
import type { WatcherConfig } from "./config.ts";
import { createMatcher } from "./match/matcher.ts";
import { loadSignatures } from "./match/pack-files.ts";
import { createServerClient, type JobChanges } from "./server-client.ts";
import { createFileSource } from "./source/file/file-source.ts";
import { claimEveryMs, createWatcher, tailEveryMs } from "./watch-once.ts";

const awayRetryMs = 1_000;
/** However much changes in a cluster, claiming is woken no more often than this. */
const wakeEveryMs = 200;

export async function main(config: WatcherConfig, life: Life): Promise<void> {
  const signatures = loadSignatures(config.signatureDirs);
  const server = createServerClient(config, life.clock);
  const watcher = createWatcher({
    watcherId: config.watcherId,
    targetsMax: config.targetsMax,
    server,
    source: createFileSource(),
    matcher: createMatcher(signatures),
    clock: life.clock,
    log: life.log,
  });
  life.log.info({ signatures: signatures.length, server: config.server }, "the watcher reads logs and never acts");
  const claim = startLoop(
    life,
    "claim",
    claimEveryMs,
    patiently(life.log, "claim", () => watcher.claimOnce()),
  );
  const tail = startLoop(
    life,
    "tail",
    tailEveryMs,
    patiently(life.log, "tail", () => watcher.tailOnce()),
  );
  await Promise.all([claim.ended, tail.ended, wakeOnChanges(server, claim, life)]);
  await watcher.close();
  server.close();
}

/** The poll is the truth; a change only shortens its wait. A stream that breaks is opened again. */
async function wakeOnChanges(server: JobChanges, claim: Loop, { clock, log, signal }: Life): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const _ of server.jobChanges(signal)) {
        claim.wake();
        await clock.sleep(wakeEveryMs, signal);
      }
    } catch (error) {
      log.debug({ error: String(error) }, "the change stream broke");
    }
    await clock.sleep(awayRetryMs, signal);
  }
}

/** A server that is away is one line in the log, not one a pass; that it is back is another. */
function patiently(log: Log, loop: string, pass: () => Promise<number | void>): () => Promise<number | void> {
  let failed = 0;
  return async () => {
    try {
      const waitMs = await pass();
      if (failed > 0) log.info({ loop, failed }, "the server answers again");
      failed = 0;
      return waitMs;
    } catch (error) {
      if (failed++ === 0) log.warn({ loop, error }, "the server does not answer; nothing is lost, what is read waits");
      return awayRetryMs;
    }
  };
}
