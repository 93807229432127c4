/**
 * rate: how often one caller may call: a bucket of tokens each, filled steadily.
 *
 * Gives   how long to wait (ms); 0: go on.
 * Bound   `callersMax` buckets; the one that was not used for longest goes, full or not.
 */
import { LRUCache } from "lru-cache";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Clock } from "@reprise/runtime/clock.ts";

export interface RateConfig {
  /** Calls a second; 0: no limit. */
  readonly perSecond: number;
  /** Calls that may come at once after a pause. */
  readonly burst: number;
}

/** Takes one call of that caller out of its bucket. @returns Milliseconds to wait; 0: it was taken. */
export type TakeCall = (caller: string) => number;

const callersMax = 10_000;

export function createRate({ perSecond, burst }: RateConfig, clock: Pick<Clock, "now">): TakeCall {
  if (perSecond === 0) return () => 0;
  const buckets = new LRUCache<string, { left: number; at: number }>({ max: callersMax });
  const most = Math.max(1, burst);
  return (caller) => {
    const now = clock.now();
    const bucket = buckets.get(caller) ?? { left: most, at: now };
    // A clock that was set back gives nothing and takes nothing.
    const left = Math.min(most, bucket.left + (Math.max(0, now - bucket.at) * perSecond) / 1_000);
    const isTaken = left >= 1;
    buckets.set(caller, { left: isTaken ? left - 1 : left, at: now });
    return isTaken ? 0 : Math.ceil(((1 - left) * 1_000) / perSecond);
  };
}

/** Too many calls; the transports say when to come again. */
export class TooOften extends Refusal {
  readonly retryAfterMs: number;
  constructor(caller: string, { perSecond }: RateConfig, retryAfterMs: number) {
    super("busy", `${caller} calls more than ${perSecond} times a second; try again in ${retryAfterMs} ms`);
    this.retryAfterMs = retryAfterMs;
  }
}
