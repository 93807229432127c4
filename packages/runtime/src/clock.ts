/**
 * clock: the only place that reads the time or waits.
 *
 * Keeps   Everything else is handed a `Clock`, so that the simulator can hand it another one.
 */
import type { Instant } from "@reprise/core/nouns.ts";

export interface Clock {
  now(): Instant;
  /** Milliseconds since some moment. Nobody can set it back; it may stand still while the machine sleeps. */
  elapsed(): number;
  /** Resolves after `ms`, or at once when `signal` is aborted. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Waits for `promise`, at most `ms`. @returns What it gave; undefined: nothing in time. */
export async function within<T>(clock: Pick<Clock, "sleep">, ms: number, promise: Promise<T>): Promise<T | undefined> {
  const enough = new AbortController();
  const first = await Promise.race([promise, clock.sleep(ms, enough.signal)]);
  enough.abort();
  return first ?? undefined;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", done);
    }),
};
