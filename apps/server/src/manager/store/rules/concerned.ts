/**
 * concerned: whom new evidence against nodes concerns, of those who wait for their restart.
 *
 * In the loop   evidence → **concerned** → decided about again
 * Pure, total
 * Keeps         a hundred jobs that fail at once are not decided about a hundred times: whose own log names none of the nodes is asked
 *               again only when a node is accused that was not.
 */
import { type Cleared, isCleared } from "@reprise/core/evidence/clearance.ts";
import { ledgerOf } from "@reprise/core/evidence/ledger.ts";
import type { LedgerEntry, NodeEvidence } from "@reprise/core/evidence/node-evidence.ts";
import type { Instant } from "@reprise/core/nouns.ts";

/** What an attempt says that it did not say before. */
export type Fresh = NodeEvidence & Pick<LedgerEntry, "heimdallJobId">;

/** Everybody on the cluster, or those whose log names one of these nodes. */
export type Concerned = "everybody" | readonly string[];

/** @param entries Of one cluster, the fresh ones among them. */
export function concernedBy(
  fresh: readonly Fresh[],
  entries: readonly LedgerEntry[],
  nodeCount: number,
  cleared: Cleared,
  now: Instant,
): Concerned {
  const said = new Set(fresh.map(keyOf));
  const before = entries.filter((entry) => !said.has(keyOf(entry)));
  const accusedIn = (of: readonly LedgerEntry[]) =>
    [...ledgerOf(of, nodeCount, now, cleared).standings.values()].filter((s) => s.isAccused).map((s) => s.node);
  const known = new Set(accusedIn(before));
  if (accusedIn(entries).some((node) => !known.has(node))) return "everybody";
  return [
    ...new Set(
      fresh.filter((entry) => entry.counts && !isCleared(cleared, entry.node, entry.at)).map((entry) => entry.node),
    ),
  ];
}

const keyOf = ({ heimdallJobId, node }: Fresh): string => `${heimdallJobId} ${node}`;
