/**
 * decision-store: what was decided about an attempt becomes Advice, or the reason why not.
 *
 * In the loop   Decision → **record** → Advice
 * Gives         `recorded` with its generation; `unchanged`; or `stale`: decide again. A stale decision wrote nothing.
 * Writes        table `decision` (the latest one of each attempt), and through their stores `advice` and `audit`, in one transaction.
 * Keeps         nothing is advised about an attempt whose facts have changed since, or whose successor has started; the same
 *               outcome is advised once; what was carried out or given up stays as it is.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Decision } from "@reprise/core/decide/decision.ts";
import type { Recorded, StoredDecision } from "../../store.ts";
import { auditOf, type Course, nextGeneration } from "../rules/next-generation.ts";
import { addGeneration, getAdvice } from "./advice-store.ts";
import { recordAudit } from "./audit-store.ts";
import { holdFacts, markDecided, releaseClaim } from "./facts-store.ts";
import type { Written } from "./changes.ts";
import type { Db, Tx } from "./schema.ts";
import { json, storable } from "./storable.ts";

export async function recordDecision(
  tx: Tx,
  heimdallJobId: string,
  factsSeq: number,
  given: Decision,
  now: Instant,
): Promise<Written<Recorded>> {
  const uuid = heimdallJobId.toLowerCase();
  const decision = storable(given);
  const isCurrent = await holdFacts(tx, uuid, factsSeq);
  const source = isCurrent ? await sourceOf(tx, uuid) : undefined;
  if (source === undefined || (source.isOvertaken && decision.kind === "advise")) {
    await releaseClaim(tx, uuid);
    return { answer: { kind: "stale" }, changes: [] };
  }
  await saveDecision(tx, uuid, factsSeq, decision, now);
  await markDecided(tx, uuid, factsSeq, decision.reconsiderAt);

  const advice = await getAdvice(tx, uuid);
  const next = nextGeneration(advice, decision, source, now);
  if (next === undefined) return { answer: { kind: "unchanged" }, changes: [] };
  const generation = await addGeneration(tx, source, next, now);
  const audit = auditOf(generation, next, decision, source);
  await recordAudit(tx, [{ attempt: source, ...audit }], now);
  return { answer: { kind: "recorded", generation }, changes: [{ kind: "advice", heimdallJobId: uuid }] };
}

interface Source extends Course {
  readonly heimdallJobId: string;
  readonly cluster: string;
  readonly jobId: string;
  readonly attemptIndex: number;
}

async function sourceOf(tx: Tx, uuid: string): Promise<Source | undefined> {
  const { rows } = await sql<Source>`
    select heimdall_job_id as "heimdallJobId", cluster, job_id as "jobId", attempt_index as "attemptIndex",
      coalesce(later.has_started, false) as "isOvertaken", is_listed and coalesce(later.all_deleted, false) as "isRolledBack"
    from job left join lateral (
      select bool_or(other.started_at is not null) as has_started, bool_and(other.status = 'DELETED') as all_deleted
      from job other where job.job_id <> '' and other.job_id = job.job_id and other.cluster = job.cluster
        and other.incarnation = job.incarnation and other.attempt_index > job.attempt_index
    ) later on true
    where heimdall_job_id = ${uuid}`.execute(tx);
  return rows[0];
}

async function saveDecision(tx: Tx, uuid: string, factsSeq: number, decision: Decision, now: Instant): Promise<void> {
  await sql`
    insert into decision (heimdall_job_id, decision, facts_seq, decided_at)
    values (${uuid}, ${json(decision)}::jsonb, ${factsSeq}, ${now})
    on conflict (heimdall_job_id) do update set decision = excluded.decision, facts_seq = excluded.facts_seq,
      decided_at = excluded.decided_at`.execute(tx);
}

export async function decisionsOf(db: Db, uuids: readonly string[]): Promise<ReadonlyMap<string, StoredDecision>> {
  if (uuids.length === 0) return new Map();
  const rows = await db
    .selectFrom("decision")
    .selectAll()
    .where("heimdall_job_id", "in", [...uuids])
    .execute();
  return new Map(rows.map((row) => [row.heimdall_job_id, { decision: row.decision, decidedAt: row.decided_at }]));
}
