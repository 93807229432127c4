/**
 * accuse: what attempts say against nodes is kept, before anything is decided about them; and what all jobs say is weighed.
 *
 * In the loop   facts → evidence → **keep, weigh** → Ledger → decide
 * Writes        the ledger, through the store, where an attempt says something else than before; one transaction for all of them.
 * Keeps         the ledger is read after the facts: whoever writes something new in it raises the facts of those whom it may concern, and
 *               what was decided from an older ledger is stale.
 * Fails         whole: then nothing is decided about these attempts, and they come again.
 */
import { clearedBy } from "@reprise/core/evidence/clearance.ts";
import { type Ledger, ledgerOf } from "@reprise/core/evidence/ledger.ts";
import { evidenceOf, mayAccuse } from "@reprise/core/evidence/node-evidence.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { fold } from "@reprise/core/situation/situation.ts";
import type { Manager } from "../context.ts";
import type { Accusation } from "../evidence-store.ts";
import type { AttemptFacts } from "../store.ts";
import { differing } from "../store/rules/differing-evidence.ts";

/** It has failed, or a line speaks of a root: a node may be to blame. Of all others the ledger is not asked. */
export const isInQuestion = ({ attempt, signals }: AttemptFacts): boolean => mayAccuse(attempt, signals);

/** @returns The ledger of each cluster. */
export async function accuse(
  inQuestion: readonly AttemptFacts[],
  { store, clock }: Pick<Manager, "store" | "clock">,
): Promise<ReadonlyMap<string, Ledger>> {
  const now = clock.now();
  const ledgers = new Map<string, Ledger>();
  for (const [cluster, list] of Map.groupBy(inQuestion, ({ attempt }) => attempt.cluster)) {
    const accusations = list.flatMap((facts) => accusationOf(facts, now) ?? []);
    let entries = await store.loadEvidence(cluster, now);
    const known = Map.groupBy(entries, ({ heimdallJobId }) => heimdallJobId);
    const changed = accusations.filter((accusation) => {
      const { gone, fresh } = differing(known.get(accusation.heimdallJobId) ?? [], accusation.entries);
      return gone.length + fresh.length > 0;
    });
    if (changed.length > 0) entries = await store.recordEvidence(cluster, changed, now);
    const cleared = clearedBy(await store.loadClearances(cluster, now));
    ledgers.set(cluster, ledgerOf(entries, list[0]?.nodes.length ?? 0, now, cleared));
  }
  return ledgers;
}

function accusationOf(facts: AttemptFacts, now: Instant): Accusation | undefined {
  const entries = evidenceOf(fold(facts, now), now);
  const { heimdallJobId } = facts.attempt;
  return entries === undefined ? undefined : { heimdallJobId, factsSeq: facts.factsSeq, entries };
}
