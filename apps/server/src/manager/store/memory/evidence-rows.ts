/** evidence-rows: how entries of the ledger, and repairs of nodes, are read. See `postgres/select-evidence.ts`. */
import type { Clearance } from "@reprise/core/evidence/clearance.ts";
import type { LedgerEntry } from "@reprise/core/evidence/node-evidence.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import type { EvidenceRow, Tables } from "./tables.ts";

export function loadEvidence(t: Tables, cluster: string, now: Instant): readonly LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  for (const [uuid, rows] of t.evidence) {
    const source = t.jobs.get(uuid);
    if (source?.cluster !== cluster) continue;
    for (const row of rows.values()) if (row.expiresAt > now) entries.push(entryOf(source, row));
  }
  return entries
    .sort((a, b) => b.at - a.at || compare(a.heimdallJobId, b.heimdallJobId) || compare(a.node, b.node))
    .slice(0, limits.ledgerEntriesMax);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A row is of one attempt, and of that only a missing job ID may still come, with its index: else the same row gives the same entry. */
export function entryOf(
  { heimdallJobId, jobId, attemptIndex, incarnation }: NumberedRow,
  row: EvidenceRow,
): LedgerEntry {
  const known = entries.get(row);
  if (known?.heimdallJobId === heimdallJobId && known.jobId === jobId) return known;
  const entry = { ...row, heimdallJobId, jobId, attemptIndex, incarnation };
  entries.set(row, entry);
  return entry;
}

const entries = new WeakMap<EvidenceRow, LedgerEntry>();

export const loadClearances = (t: Tables, cluster: string, now: Instant): readonly Clearance[] =>
  [...(t.clearances.get(cluster)?.values() ?? [])]
    .filter((clearance) => clearance.at > now - limits.evidenceLifeMs)
    .sort((a, b) => (a.node < b.node ? -1 : 1));
