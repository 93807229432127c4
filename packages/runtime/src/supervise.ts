/**
 * supervise: keeps one child running: what dies is started again, after a wait that grows while it keeps dying.
 *
 * Keeps   At most one child at a time. After the life has ended nothing is started any more.
 * Bound   waits of `firstWaitMs`, doubled up to `waitMaxMs`; back to the first after it ran for `steadyAfterMs`.
 */
import type { Life } from "./life.ts";
import { type Child, type Exit, showExit } from "./processes.ts";

export const firstWaitMs = 200;
export const waitMaxMs = 5_000;
const steadyAfterMs = 30_000;

export interface Supervised {
  /** The one that runs now; `undefined` while it waits to be started again. */
  current(): Child | undefined;
  /** Resolves when nothing is started any more and the last child is gone. Ending that child is the caller's. */
  readonly ended: Promise<void>;
}

/**
 * @param start    Starts the child; called again after each death.
 * @param mayRetry Asked after each death. False ends the supervision, and `ended` resolves.
 */
export function keepRunning(
  life: Life,
  start: () => Child,
  { mayRetry = () => true, onChange = () => {} }: { mayRetry?: (exit: Exit) => boolean; onChange?: () => void } = {},
): Supervised {
  let child: Child | undefined;
  const run = async () => {
    let waitMs = firstWaitMs;
    while (!life.signal.aborted) {
      const startedAt = life.clock.now();
      child = start();
      onChange();
      const exit = await child.ended;
      const { name } = child;
      child = undefined;
      if (life.signal.aborted || !mayRetry(exit)) return;
      if (life.clock.now() - startedAt >= steadyAfterMs) waitMs = firstWaitMs;
      life.log.warn({ part: name, exit: showExit(exit), waitMs }, "a part ended; it is started again");
      onChange();
      await life.clock.sleep(waitMs, life.signal);
      waitMs = Math.min(waitMs * 2, waitMaxMs);
    }
  };
  return { current: () => child, ended: run() };
}
