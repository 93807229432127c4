/** evidence-table: the ledger of what attempts say against nodes. See `postgres/evidence-store.ts`. */
import { clearedBy } from "@reprise/core/evidence/clearance.ts";
import type { LedgerEntry, NodeEvidence } from "@reprise/core/evidence/node-evidence.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Advice, Instant } from "@reprise/core/nouns.ts";
import type { Accusation } from "../../evidence-store.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import type { Written } from "../postgres/changes.ts";
import { storable } from "../postgres/storable.ts";
import { concernedBy, type Concerned, type Fresh } from "../rules/concerned.ts";
import { differing } from "../rules/differing-evidence.ts";
import { byAge, getAdvice } from "./advice-table.ts";
import { entryOf, loadClearances, loadEvidence } from "./evidence-rows.ts";
import { raiseKnownFacts } from "./facts-table.ts";
import { nodesOf } from "./node-table.ts";
import { requireWhole, type Tables } from "./tables.ts";

export function recordEvidence(
  t: Tables,
  cluster: string,
  given: readonly Accusation[],
  now: Instant,
): Written<readonly LedgerEntry[]> {
  const accusations = storable(given).map((a) => ({ ...a, heimdallJobId: a.heimdallJobId.toLowerCase() }));
  const own = new Set(accusations.map(({ heimdallJobId }) => heimdallJobId));
  const fresh: Fresh[] = [];
  for (const { heimdallJobId, factsSeq, entries } of accusations) {
    const source = t.jobs.get(heimdallJobId);
    if (source?.cluster !== cluster || t.facts.get(heimdallJobId)?.seq !== factsSeq) continue;
    const difference = differing(entriesOf(t, source), entries);
    replace(t, source, difference.gone, difference.fresh);
    fresh.push(...difference.fresh.map((entry) => ({ heimdallJobId, ...entry })));
  }
  if (fresh.length === 0) return { answer: loadEvidence(t, cluster, now), changes: [] };
  forgetExpired(t, now);
  const answer = loadEvidence(t, cluster, now);
  const cleared = clearedBy(loadClearances(t, cluster, now));
  const waiting = waitingFor(t, cluster, concernedBy(fresh, answer, nodesOf(t, cluster).length, cleared, now));
  const stirred = waiting.filter((uuid) => !own.has(uuid));
  raiseKnownFacts(t, stirred, now);
  return { answer, changes: stirred.map((heimdallJobId) => ({ kind: "signal", heimdallJobId })) };
}

const entriesOf = (t: Tables, source: NumberedRow): readonly LedgerEntry[] =>
  [...(t.evidence.get(source.heimdallJobId)?.values() ?? [])].map((row) => entryOf(source, row));

function replace(t: Tables, source: NumberedRow, gone: readonly string[], fresh: readonly NodeEvidence[]): void {
  const rows = new Map(t.evidence.get(source.heimdallJobId));
  const nodesAtRisk = fresh.length === 0 ? 1 : atRisk(t, source, fresh);
  for (const node of gone) rows.delete(node);
  for (const entry of fresh) {
    requireWhole("node_evidence", entry, ["at", "expiresAt"]);
    rows.set(entry.node, { ...entry, nodesAtRisk: rows.get(entry.node)?.nodesAtRisk ?? nodesAtRisk });
  }
  if (rows.size === 0) t.evidence.delete(source.heimdallJobId);
  else t.evidence.set(source.heimdallJobId, rows);
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

function waitingFor(t: Tables, cluster: string, concerned: Concerned): string[] {
  if (concerned !== "everybody" && concerned.length === 0) return [];
  const isNamed = (uuid: string) =>
    [...(t.signals.get(uuid)?.values() ?? [])].some(
      ({ root, nodes }) => root && (concerned === "everybody" || nodes.some((node) => concerned.includes(node))),
    );
  const open = [...(t.pending.get(cluster) ?? [])].filter(
    (uuid) => getAdvice(t, uuid)?.desired === "RESTARTED" && (concerned === "everybody" || isNamed(uuid)),
  );
  const undecided = [...t.undecided].filter((uuid) => {
    const { seq, decidedSeq } = t.facts.get(uuid) ?? { seq: 0, decidedSeq: 0 };
    return seq > decidedSeq && t.jobs.get(uuid)?.cluster === cluster && isNamed(uuid);
  });
  return [...new Set([...open, ...undecided])];
}

function forgetExpired(t: Tables, now: Instant): void {
  for (const [uuid, rows] of t.evidence) {
    const live = new Map([...rows].filter(([, { expiresAt }]) => expiresAt > now));
    if (live.size === 0) t.evidence.delete(uuid);
    else if (live.size < rows.size) t.evidence.set(uuid, live);
  }
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
