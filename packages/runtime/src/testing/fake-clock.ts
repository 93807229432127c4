/**
 * fake-clock: time that moves only when a test moves it.
 *
 * Keeps   `advance` wakes sleepers in the order of their times, and lets everything that each one causes run before the
 *         next: a test never waits for the real time, and never races it.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Clock } from "../clock.ts";

interface Sleeper {
  readonly until: Instant;
  readonly wake: () => void;
}

export class FakeClock implements Clock {
  private at: Instant;
  private sleepers: Sleeper[] = [];
  private watchers: (() => void)[] = [];

  constructor(at: Instant = Date.UTC(2030, 0, 1)) {
    this.at = at;
  }

  now(): Instant {
    return this.at;
  }

  elapsed(): number {
    return this.at;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.sleepers = this.sleepers.filter((other) => other !== sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper: Sleeper = { until: this.at + ms, wake };
      this.sleepers.push(sleeper);
      signal?.addEventListener("abort", wake);
      for (const tell of this.watchers) tell();
    });
  }

  /** How many sleep now. */
  get sleeping(): number {
    return this.sleepers.length;
  }

  /** How long until the next one wakes (ms). `undefined`: nobody sleeps. */
  get nextInMs(): number | undefined {
    return this.sleepers.length === 0 ? undefined : Math.min(...this.sleepers.map((s) => s.until)) - this.at;
  }

  /** Resolves as soon as at least `count` sleep: a barrier instead of a guess. */
  async untilSleeping(count = 1): Promise<void> {
    while (this.sleepers.length < count) {
      await new Promise<void>((resolve) => {
        this.watchers = [...this.watchers, resolve];
      });
      this.watchers = [];
    }
  }

  async advance(ms: number): Promise<void> {
    const end = this.at + ms;
    for (;;) {
      const next = this.sleepers.filter((s) => s.until <= end).sort((a, b) => a.until - b.until)[0];
      if (next === undefined) break;
      this.at = Math.max(this.at, next.until);
      next.wake();
      await settle();
    }
    this.at = end;
    await settle();
  }
}

/** Lets every promise that can go on go on. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
