/**
 * ages: how old is what a process of this host has written down, whatever is done to the host's clock meanwhile?
 *
 * Takes   the name of what is written again and again (a heartbeat, a hold of ours), and the time that stands in it now.
 * Gives   its age (ms): counted since that time was first seen there, by the clock that nobody can set. What was there before anybody
 *         looked is as old as the host's clock says.
 * Keeps   a time in the future is new, and grows old like any other: a clock that was set back keeps nobody living or held.
 * Bound   `namesMax` names; the one that came first is forgotten first.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Clock } from "@reprise/runtime/clock.ts";

const namesMax = 10_000;

export type AgeOf = (name: string, at: Instant) => number;

interface Sight {
  readonly at: Instant;
  readonly seenAfter: number;
  readonly ageWhenSeenMs: number;
  readonly askedAfter: number;
}

export function createAges(clock: Pick<Clock, "now" | "elapsed">): AgeOf {
  const sights = new Map<string, Sight>();
  return (name, at) => {
    const after = clock.elapsed();
    const known = sights.get(name);
    if (known?.at === at) {
      sights.set(name, { ...known, askedAfter: after });
      return known.ageWhenSeenMs + after - known.seenAfter;
    }
    const byClock = Math.max(0, clock.now() - at);
    // It was written since it was last asked about.
    const ageWhenSeenMs = known === undefined ? byClock : Math.min(byClock, after - known.askedAfter);
    if (known === undefined && sights.size >= namesMax) sights.delete(sights.keys().next().value ?? "");
    sights.set(name, { at, seenAfter: after, ageWhenSeenMs, askedAfter: after });
    return ageWhenSeenMs;
  };
}
