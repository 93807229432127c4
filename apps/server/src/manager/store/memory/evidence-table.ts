/** evidence-table: the ledger of what attempts say against nodes. See `postgres/evidence-store.ts`. */
import type { LedgerEntry, NodeEvidence } from "@reprise/core/evidence/node-evidence.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Advice, Instant } from "@reprise/core/nouns.ts";
import type { Accusation } from "../../evidence-store.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import type { Written } from "../postgres/changes.ts";
import { storable } from "../postgres/storable.ts";
import { differing } from "../rules/differing-evidence.ts";
import { byAge, getAdvice } from "./advice-table.ts";
import { raiseKnownFacts } from "./facts-table.ts";
import { requireWhole, type EvidenceRow, type Tables } from "./tables.ts";

export function recordEvidence(t: Tables, given: readonly Accusation[], now: Instant): Written<undefined> {
  const accusations = storable(given).map((a) => ({ ...a, heimdallJobId: a.heimdallJobId.toLowerCase() }));
  const own = new Set(accusations.map(({ heimdallJobId }) => heimdallJobId));
  const stirred = new Set<string>();
  for (const { heimdallJobId: uuid, factsSeq, entries } of accusations) {
    const source = t.jobs.get(uuid);
    if (source === undefined || t.facts.get(uuid)?.seq !== factsSeq) continue;
    const rows = new Map(t.evidence.get(uuid));
    const { gone, fresh } = differing(
      [...rows.values()].map((row) => entryOf(source, row)),
      entries,
    );
    for (const node of gone) rows.delete(node);
    const nodesAtRisk = fresh.length === 0 ? 0 : atRisk(t, source, fresh);
    for (const entry of fresh) {
      requireWhole("node_evidence", entry, ["at", "expiresAt"]);
      rows.set(entry.node, { ...entry, nodesAtRisk: rows.get(entry.node)?.nodesAtRisk ?? nodesAtRisk });
    }
    if (rows.size === 0) t.evidence.delete(uuid);
    else t.evidence.set(uuid, rows);
    if (fresh.some((entry) => entry.counts)) stirred.add(source.cluster);
  }
  if (stirred.size === 0) return { answer: undefined, changes: [] };
  forgetExpired(t, now);
  const waiting = stir(t, stirred, own, now);
  return { answer: undefined, changes: waiting.map((heimdallJobId) => ({ kind: "signal", heimdallJobId })) };
}

function atRisk(t: Tables, source: NumberedRow, entries: readonly NodeEvidence[]): number {
  const at = Math.min(...entries.map((entry) => entry.at));
  const nodes = new Set(source.nodes);
  for (const other of t.jobs.values()) {
    if (other.cluster !== source.cluster || other.coverage.kind !== "covered") continue;
    const wasRunning = (other.isListed && other.status === "RUNNING") || (other.endedAt ?? -Infinity) >= at;
    if (wasRunning && (other.startedAt ?? Infinity) <= at) for (const node of other.nodes) nodes.add(node);
  }
  return Math.max(1, nodes.size);
}

function stir(t: Tables, clusters: ReadonlySet<string>, but: ReadonlySet<string>, now: Instant): string[] {
  const open = [...clusters].flatMap((cluster) => [...(t.pending.get(cluster) ?? [])]);
  const waiting = open.filter((uuid) => !but.has(uuid) && getAdvice(t, uuid)?.desired === "RESTARTED");
  raiseKnownFacts(t, waiting, now);
  return waiting;
}

function forgetExpired(t: Tables, now: Instant): void {
  for (const [uuid, rows] of t.evidence) {
    const live = new Map([...rows].filter(([, { expiresAt }]) => expiresAt > now));
    if (live.size === 0) t.evidence.delete(uuid);
    else if (live.size < rows.size) t.evidence.set(uuid, live);
  }
}

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

function entryOf({ heimdallJobId, jobId, attemptIndex, incarnation }: NumberedRow, row: EvidenceRow): LedgerEntry {
  return { ...row, heimdallJobId, jobId, attemptIndex, incarnation };
}

export function listExcluding(t: Tables, cluster: string, now: Instant, limit: number): readonly Advice[] {
  const heads = [...t.heads].filter(
    ([, head]) => head.cluster === cluster && head.updatedAt > now - limits.exclusionLifeMs,
  );
  return heads
    .flatMap(([uuid]) => getAdvice(t, uuid) ?? [])
    .filter((advice) => advice.withdrawnAt === undefined && advice.exclusions.some((e) => e.expiresAt > now))
    .sort((a, b) => byAge(b, a))
    .slice(0, limit);
}
