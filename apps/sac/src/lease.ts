/**
 * lease: the right to act on the cluster, as SAC holds it: renewed by half of its time, and never used longer than from before it was
 * asked for.
 *
 * Writes  the lease's term into the fence beside the journal, under the lock.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { atMostMs, momentOf } from "@reprise/runtime/clock.ts";
import { forgetPublished } from "./loops/published.ts";
import type { Parts, State } from "./state.ts";

/** Until when the lease may be used, by whichever clock ends it first: one may be set back, the other stands still in a sleep. */
export function leaseUntil({ lease }: State, clock: Parts["clock"]): Instant | undefined {
  if (lease === undefined) return undefined;
  return clock.now() + limits.leaseMs - atMostMs(lease.asked, momentOf(clock));
}

export async function renewLease(parts: Parts, state: State): Promise<void> {
  const { server, clock, cluster, holder, beside, log } = parts;
  const asked = momentOf(clock);
  const until = leaseUntil(state, clock);
  if (until !== undefined && until - asked.at > limits.leaseMs / 2) return;
  const lease = await server.acquireLease(cluster, holder);
  const [wasElsewhere, termBefore] = [state.isLeaseElsewhere, state.lease?.term];
  state.isLeaseElsewhere = !lease.isHeld;
  state.lease = undefined;
  if (!lease.isHeld && !wasElsewhere)
    log.warn({ cluster }, "another SAC has the lease of this cluster: this one observes");
  if (!lease.isHeld) return;
  // A term between the last one of this folder and this one was another SAC's: what it sent may still be on its way.
  const isAnothers = lease.term > beside.fence().leaseTerm + 1;
  if (isAnothers) state.takenOver = momentOf(clock);
  if (isAnothers || wasElsewhere) forgetPublished(state.published); // What was told meanwhile may not have counted.
  if (!(await raiseTerm(parts, lease.term))) return;
  if (lease.term !== termBefore)
    log.info({ cluster, term: lease.term }, "this SAC has the lease of the cluster: it acts");
  state.lease = { term: lease.term, asked };
}

/** Under the lock: a SAC that was stopped between reading and writing must not lower what another one of this folder has raised. */
async function raiseTerm({ beside, lock, log }: Parts, leaseTerm: number): Promise<boolean> {
  if (leaseTerm <= beside.fence().leaseTerm) return true;
  const held = await lock();
  if (held === undefined) {
    log.warn({ leaseTerm }, "the lock is taken by the watchdog; the lease is not used before it is given up");
    return false;
  }
  try {
    beside.raiseFence({ leaseTerm });
    return true;
  } finally {
    held.release();
  }
}
