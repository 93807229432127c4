/**
 * loop: repeats one pass until its life ends; a wake-up only shortens the wait.
 *
 * In the loop   every stage that looks again runs in one of these
 * Keeps         passes of one loop never overlap; a wake-up that comes during a pass causes one more pass, never a lost one.
 * Fails         an error is logged once and the next pass comes after the interval: a pass is derived afresh, so
 *               nothing has to be undone.
 */
import type { Life } from "./life.ts";

export interface Loop {
  /** Look now. Says nothing about what changed. */
  wake(): void;
  /** Resolves when the life has ended and the last pass is over. */
  readonly ended: Promise<void>;
}

/** @param pass Gives how long to wait (ms) before the next one; the default is `everyMs`. */
export function startLoop(life: Life, name: string, everyMs: number, pass: () => Promise<number | void>): Loop {
  let woken = false;
  let isWaiting = false;
  let cut = new AbortController();
  // One listener for the whole life: AbortSignal.any would leave something behind on `life.signal` at every pass.
  const cutWait = () => cut.abort("woken"); // A reason of its own: the default one captures a stack each time.
  life.signal.addEventListener("abort", cutWait, { once: true });
  const run = async () => {
    while (!life.signal.aborted) {
      woken = false;
      let waitMs = everyMs;
      try {
        waitMs = (await pass()) ?? everyMs;
      } catch (error) {
        if (!life.signal.aborted) life.log.error({ loop: name, error }, "a pass failed; the next one comes");
      }
      if (woken || life.signal.aborted) continue;
      if (cut.signal.aborted) cut = new AbortController();
      isWaiting = true;
      await life.clock.sleep(waitMs, cut.signal);
      isWaiting = false;
    }
    life.signal.removeEventListener("abort", cutWait);
  };
  return {
    wake() {
      woken = true;
      if (isWaiting) cutWait();
    },
    ended: run(),
  };
}
