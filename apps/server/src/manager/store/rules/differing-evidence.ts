/**
 * differing-evidence: what an attempt says against nodes now, and did not say before.
 *
 * Pure, total
 */
import type { LedgerEntry, NodeEvidence } from "@reprise/core/evidence/node-evidence.ts";

export interface Difference {
  /** Nodes against which nothing is said any more. */
  readonly gone: readonly string[];
  readonly fresh: readonly NodeEvidence[];
}

export function differing(stored: readonly LedgerEntry[], said: readonly NodeEvidence[]): Difference {
  const before = new Map(stored.map((entry) => [entry.node, entry]));
  const now = new Set(said.map(({ node }) => node));
  return {
    gone: stored.flatMap(({ node }) => (now.has(node) ? [] : [node])),
    fresh: said.filter((entry) => !isSame(entry, before.get(entry.node))),
  };
}

/** The rest follows from these. */
const isSame = (a: NodeEvidence, b: LedgerEntry | undefined): boolean =>
  a.cause === b?.cause && a.at === b.at && a.confidence === b.confidence && a.counts === b.counts;
