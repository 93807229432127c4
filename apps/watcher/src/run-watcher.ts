/**
 * run-watcher: the watcher at work: its two loops, and what wakes them.
 *
 * Takes   a watcher, its server's change stream, and a life; `main.ts` makes the real ones, the simulator others.
 * Gives   resolves when the life has ended and what was read is reported.
 */
import { type Loop, startLoop } from "@reprise/runtime/loop.ts";
import type { Life, Log } from "@reprise/runtime/life.ts";
import type { JobChanges } from "./server-client.ts";
import { claimEveryMs, tailEveryMs, type Watcher } from "./watch-once.ts";

const awayRetryMs = 1_000;
/** However much changes in a cluster, claiming is woken no more often than this. */
const wakeEveryMs = 200;

export async function runWatcher(watcher: Watcher, server: JobChanges, life: Life): Promise<void> {
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
