/** pace: not more than so many beginnings in a second, evenly, in the order in which they were asked for. */
import type { Clock } from "@reprise/runtime/clock.ts";

/** @returns  Resolves when the next one may begin. */
export function createPace(clock: Clock, perSecondMax: number): () => Promise<void> {
  const everyMs = 1000 / perSecondMax;
  let nextAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = clock.elapsed();
    const at = Math.max(now, nextAt);
    nextAt = at + everyMs;
    if (at > now) await clock.sleep(at - now);
  };
}
