/**
 * evidence-store: the ledger of what attempts say against nodes.
 *
 * In the loop   facts → evidence → **record** → ledger → decide
 * Writes        table `node_evidence`, which nobody else writes; and raises the facts of attempts that new evidence may concern.
 * Keeps         an entry is fenced by the facts that it was derived from; what has expired goes when something new comes.
 */
import { sql } from "kysely";
import { clearedBy } from "@reprise/core/evidence/clearance.ts";
import type { LedgerEntry } from "@reprise/core/evidence/node-evidence.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Advice, Instant } from "@reprise/core/nouns.ts";
import type { Accusation } from "../../evidence-store.ts";
import { concernedBy, type Concerned, type Fresh } from "../rules/concerned.ts";
import { differing } from "../rules/differing-evidence.ts";
import { selectAdvice, toAdvice } from "./advice-store.ts";
import type { Written } from "./changes.ts";
import { loadClearances } from "./clearance-store.ts";
import { lockFacts, raiseKnownFacts } from "./facts-store.ts";
import { listNodes } from "./node-store.ts";
import { nodesAtRisk } from "./nodes-at-risk.ts";
import { isAmong } from "./prepared.ts";
import type { Db, Tx } from "./schema.ts";
import { loadEvidence, selectEntries } from "./select-evidence.ts";
import { json, storable } from "./storable.ts";

export async function recordEvidence(
  tx: Tx,
  cluster: string,
  given: readonly Accusation[],
  now: Instant,
): Promise<Written<readonly LedgerEntry[]>> {
  const accusations = storable(given).map((a) => ({ ...a, heimdallJobId: a.heimdallJobId.toLowerCase() }));
  const uuids = accusations.map(({ heimdallJobId }) => heimdallJobId).sort();
  // One at a time: of two that do not see each other neither would wake the other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`evidence ${cluster}`}, 0))`.execute(tx);
  await lockFacts(tx, uuids);
  const seqs = await seqsOf(tx, cluster, uuids);
  const stored = await entriesOf(tx, uuids);
  const gone: { heimdallJobId: string; node: string }[] = [];
  const fresh: Fresh[] = [];
  for (const { heimdallJobId, factsSeq, entries } of accusations) {
    if (seqs.get(heimdallJobId) !== factsSeq) continue;
    const difference = differing(stored.get(heimdallJobId) ?? [], entries);
    gone.push(...difference.gone.map((node) => ({ heimdallJobId, node })));
    fresh.push(...difference.fresh.map((entry) => ({ heimdallJobId, ...entry })));
  }
  if (gone.length > 0) await remove(tx, gone);
  if (fresh.length === 0) return { answer: await loadEvidence(tx, cluster, now), changes: [] };

  await insert(tx, cluster, fresh);
  await forgetExpired(tx, now);
  const answer = await loadEvidence(tx, cluster, now);
  const nodeCount = (await listNodes(tx, cluster)).length;
  const cleared = clearedBy(await loadClearances(tx, cluster, now));
  const waiting = await waitingFor(tx, cluster, concernedBy(fresh, answer, nodeCount, cleared, now));
  const own = new Set(uuids);
  const stirred = waiting.filter((uuid) => !own.has(uuid)).sort();
  await raiseKnownFacts(tx, stirred, now);
  return { answer, changes: stirred.map((heimdallJobId) => ({ kind: "signal", heimdallJobId })) };
}

async function seqsOf(tx: Tx, cluster: string, uuids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await tx
    .selectFrom("facts")
    .innerJoin("job", "job.heimdall_job_id", "facts.heimdall_job_id")
    .select(["facts.heimdall_job_id as uuid", "facts.seq"])
    .where(isAmong("facts.heimdall_job_id", uuids))
    .where("job.cluster", "=", cluster)
    .execute();
  return new Map(rows.map(({ uuid, seq }) => [uuid, seq]));
}

async function entriesOf(tx: Tx, uuids: readonly string[]): Promise<ReadonlyMap<string, readonly LedgerEntry[]>> {
  const rows = await selectEntries(tx).where(isAmong("node_evidence.heimdall_job_id", uuids)).execute();
  return Map.groupBy(rows, ({ heimdallJobId }) => heimdallJobId);
}

async function remove(tx: Tx, gone: readonly Pick<Fresh, "heimdallJobId" | "node">[]): Promise<void> {
  await sql`
    delete from node_evidence using jsonb_to_recordset(${json(gone)}::jsonb) as gone ("heimdallJobId" text, node text)
    where heimdall_job_id = gone."heimdallJobId" and node_evidence.node = gone.node`.execute(tx);
}

/** At risk were the nodes that ran watched attempts when an attempt's first entry happened, its own among them. */
async function insert(tx: Tx, cluster: string, fresh: readonly Fresh[]): Promise<void> {
  const firsts = [...Map.groupBy(fresh, (entry) => entry.heimdallJobId)].map(([heimdallJobId, entries]) => {
    return { heimdallJobId, at: Math.min(...entries.map(({ at }) => at)) };
  });
  const atRisk = await nodesAtRisk(tx, cluster, firsts);
  const rows = fresh.map((entry) => ({ ...entry, nodesAtRisk: atRisk.get(entry.heimdallJobId) ?? 1 }));
  await sql`
    insert into node_evidence (heimdall_job_id, node, cluster, cause, cause_class, domain, at, confidence, expires_at, counts, evidence,
      nodes_at_risk)
    select "heimdallJobId", node, ${cluster}, cause, "causeClass", domain, at, confidence, "expiresAt", counts, evidence, "nodesAtRisk"
    from jsonb_to_recordset(${json(rows)}::jsonb) as fresh ("heimdallJobId" text, node text, cause text, "causeClass" text, domain text,
      at bigint, confidence double precision, "expiresAt" bigint, counts boolean, evidence jsonb, "nodesAtRisk" integer)
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

/**
 * Attempts with an open restart, and those that are being decided about, that may be better off without a node that was not known to
 * be bad.
 */
async function waitingFor(tx: Tx, cluster: string, concerned: Concerned): Promise<readonly string[]> {
  if (concerned !== "everybody" && concerned.length === 0) return [];
  const isNamed =
    concerned === "everybody" ? sql<boolean>`true` : sql<boolean>`signal.nodes ?| ${[...concerned]}::text[]`;
  const { rows } = await sql<{ uuid: string }>`
    select head.heimdall_job_id as uuid
    from advice_head head join advice using (heimdall_job_id, generation)
    where head.cluster = ${cluster} and head.disposition = 'PENDING' and advice.desired = 'RESTARTED'
      and (${concerned === "everybody"} or exists (
        select from signal where signal.heimdall_job_id = head.heimdall_job_id and root and ${isNamed}))
    union
    select facts.heimdall_job_id
    from facts join job using (heimdall_job_id)
    where job.cluster = ${cluster} and facts.seq > facts.decided_seq and exists (
      select from signal where signal.heimdall_job_id = facts.heimdall_job_id and root and ${isNamed})`.execute(tx);
  return rows.map(({ uuid }) => uuid);
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
