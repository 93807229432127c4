/**
 * evidence-store: the ledger of what attempts say against nodes.
 *
 * In the loop   facts → evidence → **record** → ledger → decide
 * Writes        table `node_evidence`, which nobody else writes; and raises the facts of attempts that new evidence may concern.
 * Keeps         an entry is fenced by the facts that it was derived from; what has expired goes when something new comes.
 */
import { sql } from "kysely";
import type { LedgerEntry, NodeEvidence } from "@reprise/core/evidence/node-evidence.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Advice, Instant } from "@reprise/core/nouns.ts";
import type { Accusation } from "../../evidence-store.ts";
import { differing } from "../rules/differing-evidence.ts";
import { selectAdvice, toAdvice } from "./advice-store.ts";
import type { Written } from "./changes.ts";
import { lockFacts, raiseKnownFacts } from "./facts-store.ts";
import { nodesAtRisk } from "./nodes-at-risk.ts";
import { isAmong } from "./prepared.ts";
import type { Db, Tx } from "./schema.ts";
import { json, storable } from "./storable.ts";

export async function recordEvidence(tx: Tx, given: readonly Accusation[], now: Instant): Promise<Written<undefined>> {
  const accusations = storable(given).map((a) => ({ ...a, heimdallJobId: a.heimdallJobId.toLowerCase() }));
  const uuids = accusations.map(({ heimdallJobId }) => heimdallJobId).sort();
  await lockFacts(tx, uuids);
  const sources = await sourcesOf(tx, uuids);
  const stored = await entriesOf(tx, uuids);
  const stirred = new Set<string>();
  const gone: { uuid: string; node: string }[] = [];
  const fresh: (NodeEvidence & { uuid: string })[] = [];
  for (const { heimdallJobId: uuid, factsSeq, entries } of accusations) {
    const source = sources.get(uuid);
    if (source?.seq !== factsSeq) continue;
    const difference = differing(stored.get(uuid) ?? [], entries);
    gone.push(...difference.gone.map((node) => ({ uuid, node })));
    fresh.push(...difference.fresh.map((entry) => ({ uuid, ...entry })));
    if (difference.fresh.some((entry) => entry.counts)) stirred.add(source.cluster);
  }
  if (gone.length > 0) await remove(tx, gone);
  if (fresh.length > 0) await insert(tx, fresh);
  if (stirred.size === 0) return { answer: undefined, changes: [] };
  await forgetExpired(tx, now);
  const waiting = await stir(tx, [...stirred], uuids, now);
  return { answer: undefined, changes: waiting.map((heimdallJobId) => ({ kind: "signal", heimdallJobId })) };
}

async function sourcesOf(tx: Tx, uuids: readonly string[]) {
  const rows = await tx
    .selectFrom("facts")
    .innerJoin("job", "job.heimdall_job_id", "facts.heimdall_job_id")
    .select(["facts.heimdall_job_id as uuid", "facts.seq", "job.cluster"])
    .where(isAmong("facts.heimdall_job_id", uuids))
    .execute();
  return new Map(rows.map((row) => [row.uuid, row]));
}

async function entriesOf(tx: Tx, uuids: readonly string[]): Promise<ReadonlyMap<string, readonly LedgerEntry[]>> {
  const rows = await selectEntries(tx).where(isAmong("node_evidence.heimdall_job_id", uuids)).execute();
  return Map.groupBy(rows, ({ heimdallJobId }) => heimdallJobId);
}

async function remove(tx: Tx, gone: readonly { readonly uuid: string; readonly node: string }[]): Promise<void> {
  await sql`
    delete from node_evidence using jsonb_to_recordset(${json(gone)}::jsonb) as gone (uuid text, node text)
    where heimdall_job_id = gone.uuid and node_evidence.node = gone.node`.execute(tx);
}

/** At risk were the nodes that ran watched attempts when an attempt's first entry happened, its own among them. */
async function insert(tx: Tx, fresh: readonly (NodeEvidence & { readonly uuid: string })[]): Promise<void> {
  const firsts = [...Map.groupBy(fresh, ({ uuid }) => uuid)].map(([heimdallJobId, entries]) => {
    return { heimdallJobId, at: Math.min(...entries.map(({ at }) => at)) };
  });
  const atRisk = await nodesAtRisk(tx, firsts);
  const rows = fresh.map((entry) => ({ ...entry, nodesAtRisk: atRisk.get(entry.uuid) ?? 1 }));
  await sql`
    insert into node_evidence (heimdall_job_id, node, cluster, cause, cause_class, domain, at, confidence, expires_at, counts, evidence,
      nodes_at_risk)
    select uuid, fresh.node, job.cluster, cause, "causeClass", domain, at, confidence, "expiresAt", counts, evidence, "nodesAtRisk"
    from jsonb_to_recordset(${json(rows)}::jsonb) as fresh (uuid text, node text, cause text, "causeClass" text, domain text,
      at bigint, confidence double precision, "expiresAt" bigint, counts boolean, evidence jsonb, "nodesAtRisk" integer)
      join job on job.heimdall_job_id = fresh.uuid
    on conflict (heimdall_job_id, node) do update set cause = excluded.cause, cause_class = excluded.cause_class,
      domain = excluded.domain, at = excluded.at, confidence = excluded.confidence, expires_at = excluded.expires_at,
      counts = excluded.counts, evidence = excluded.evidence`.execute(tx);
}

async function forgetExpired(tx: Tx, now: Instant): Promise<void> {
  await sql`
    delete from node_evidence where (heimdall_job_id, node) in (
      select heimdall_job_id, node from node_evidence where expires_at <= ${now}::bigint
      order by expires_at limit ${limits.expireBatchMax} for update skip locked)`.execute(tx);
}

/** Who waits for his restart may be better off without a node that was not known to be bad. */
async function stir(tx: Tx, clusters: readonly string[], but: readonly string[], now: Instant): Promise<string[]> {
  const open = await tx
    .selectFrom("advice_head as head")
    .innerJoin("advice", (join) =>
      join
        .onRef("advice.heimdall_job_id", "=", "head.heimdall_job_id")
        .onRef("advice.generation", "=", "head.generation"),
    )
    .select("head.heimdall_job_id as uuid")
    .where("head.cluster", "in", [...clusters])
    .where("head.disposition", "=", "PENDING")
    .where("advice.desired", "=", "RESTARTED")
    .execute();
  const own = new Set(but);
  const waiting = open.flatMap(({ uuid }) => (own.has(uuid) ? [] : [uuid]));
  await raiseKnownFacts(tx, waiting.sort(), now);
  return waiting;
}

export async function loadEvidence(db: Db, cluster: string, now: Instant): Promise<readonly LedgerEntry[]> {
  return await selectEntries(db)
    .where("node_evidence.cluster", "=", cluster)
    .where("node_evidence.expires_at", ">", now)
    .orderBy("node_evidence.at", "desc")
    .orderBy("node_evidence.heimdall_job_id")
    .orderBy("node_evidence.node")
    .limit(limits.ledgerEntriesMax)
    .execute();
}

function selectEntries(db: Db) {
  return db
    .selectFrom("node_evidence")
    .innerJoin("job", "job.heimdall_job_id", "node_evidence.heimdall_job_id")
    .select([
      "node_evidence.node",
      "node_evidence.cause",
      "node_evidence.cause_class as causeClass",
      "node_evidence.domain",
      "node_evidence.at",
      "node_evidence.confidence",
      "node_evidence.expires_at as expiresAt",
      "node_evidence.counts",
      "node_evidence.evidence",
      "node_evidence.nodes_at_risk as nodesAtRisk",
      "job.heimdall_job_id as heimdallJobId",
      "job.job_id as jobId",
      "job.attempt_index as attemptIndex",
      "job.incarnation",
    ]);
}

export async function listExcluding(db: Db, cluster: string, now: Instant, limit: number): Promise<readonly Advice[]> {
  const rows = await selectAdvice(db)
    .where("head.cluster", "=", cluster)
    // No exclusion outlives its generation by more.
    .where("head.updated_at", ">", now - limits.exclusionLifeMs)
    .where("advice.withdrawn_at", "is", null)
    .where(
      sql<boolean>`exists (select from jsonb_array_elements(advice.exclusions) e where (e->>'expiresAt')::bigint > ${now}::bigint)`,
    )
    .orderBy("head.created_at", "desc")
    .orderBy("head.heimdall_job_id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toAdvice);
}
