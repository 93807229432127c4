/** clearance-table: which nodes people said were repaired. See `postgres/clearance-store.ts`. */
import type { Clearance } from "@reprise/core/evidence/clearance.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Written } from "../postgres/changes.ts";
import { storable } from "../postgres/storable.ts";
import { clearanceEvent, endedBy } from "../rules/clearing.ts";
import { recordOwnEvents } from "./audit-table.ts";
import { loadClearances, loadEvidence } from "./evidence-rows.ts";
import { at, type Tables } from "./tables.ts";

export function clearNode(t: Tables, cluster: string, given: Omit<Clearance, "at">, now: Instant): Written<number> {
  const clearance = { ...storable(given), at: now };
  const ended = endedBy(clearance, loadEvidence(t, cluster, now), loadClearances(t, cluster, now));
  const known = at(t.clearances, cluster, () => new Map<string, Clearance>());
  if ((known.get(clearance.node)?.at ?? -Infinity) <= now) known.set(clearance.node, clearance);
  recordOwnEvents(t, [clearanceEvent(cluster, clearance, ended)]);
  return { answer: ended, changes: [] };
}
