/**
 * clearing: what a person's word that a node was repaired ends, and how it is told.
 *
 * Pure, total
 */
import { type Clearance, clearedBy, isCleared } from "@reprise/core/evidence/clearance.ts";
import type { LedgerEntry } from "@reprise/core/evidence/node-evidence.ts";
import type { OwnEvent } from "../../audit/own-events.ts";

/** How many entries count until now. What a node says of itself later than now (a clock that is ahead) goes on counting. */
export function endedBy(
  { node, at }: Clearance,
  entries: readonly LedgerEntry[],
  before: readonly Clearance[],
): number {
  const cleared = clearedBy(before);
  return entries.filter((e) => e.node === node && e.at <= at && !isCleared(cleared, node, e.at)).length;
}

export const clearanceEvent = (cluster: string, { node, at, by, reason }: Clearance, ended: number): OwnEvent => ({
  producer: "job-manager",
  type: "node.cleared",
  payload: { cluster, node, reason, by, ended },
  at,
});
