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

/** A moment of one process, by both of its clocks: one may be set, the other may stand still in a sleep. */
export interface Moment {
  readonly at: Instant;
  readonly after: number;
}

export const momentOf = (clock: Pick<Clock, "now" | "elapsed">): Moment => ({
  at: clock.now(),
  after: clock.elapsed(),
});

/** Between two moments (ms), by whichever clock says more: what may be used for so long. */
export const atMostMs = (from: Moment, to: Moment): number => Math.max(to.at - from.at, to.after - from.after);

/** Between two moments (ms), by whichever clock says less: what is waited for. */
export const atLeastMs = (from: Moment, to: Moment): number => Math.min(to.at - from.at, to.after - from.after);

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
