/**
 * decision-store: what was decided about an attempt becomes Advice, or the reason why not.
 *
 * In the loop   Decision → **record** → Advice
 * Gives         `recorded` with its generation; `unchanged`; or `stale`: decide again. A stale decision wrote nothing.
 * Writes        tables `decision` (the latest one of each attempt) and `advice_decision` (the one that its newest Advice says), and
 *               through their stores `advice`, `job_override` and `audit`, in one transaction.
 * Keeps         nothing is advised about an attempt whose facts have changed since, or whose successor has started; the same
 *               outcome is advised once; what was carried out or given up stays as it is.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Decision } from "@reprise/core/decide/decision.ts";
import type { Recorded, StoredDecision } from "../../store.ts";
import { decisionEvents } from "../../audit/own-events.ts";
import { auditOf, type Course, fulfils, nextGeneration } from "../rules/next-generation.ts";
import { addGeneration, getAdvice } from "./advice-store.ts";
import { ahead } from "./ahead.ts";
import { recordOwnEvents } from "./audit-store.ts";
import { holdFacts, markDecided, releaseClaim } from "./facts-store.ts";
import { markFulfilled } from "./override-store.ts";
import type { Written } from "./changes.ts";
import { hot, isAmong } from "./prepared.ts";
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
  // One after the other, but sent at once: what is read is read behind the fence.
  const [isCurrent, source, stored, advice] = await Promise.all([
    holdFacts(tx, uuid, factsSeq),
    sourceOf(tx, uuid),
    decisionsOf(tx, [uuid]),
    getAdvice(tx, uuid),
  ]);
  if (!isCurrent || source === undefined || (source.isOvertaken && decision.kind === "advise")) {
    await releaseClaim(tx, uuid);
    return { answer: { kind: "stale" }, changes: [] };
  }
  const before = stored.get(uuid)?.decision;
  await saveDecision(tx, uuid, factsSeq, decision, now);
  await recordOwnEvents(tx, decisionEvents(before, decision, source, now));
  await markDecided(tx, uuid, factsSeq, decision.reconsiderAt);

  const next = nextGeneration(advice, decision, source, now);
  if (next === undefined) return { answer: { kind: "unchanged" }, changes: [] };
  const generation = await addGeneration(tx, source, next, now);
  if (decision.kind === "advise") await saveAdvised(tx, uuid, decision, now);
  if (fulfils(decision, source)) await markFulfilled(tx, uuid, generation);
  await recordOwnEvents(tx, [auditOf(generation, next, decision, source, now)]);
  return { answer: { kind: "recorded", generation }, changes: [{ kind: "advice", heimdallJobId: uuid }] };
}

interface Source extends Course {
  readonly heimdallJobId: string;
  readonly cluster: string;
  readonly jobId: string;
  readonly attemptIndex: number;
}

async function sourceOf(tx: Tx, uuid: string): Promise<Source | undefined> {
  const { rows } = await sql<Source>`${hot}
    select heimdall_job_id as "heimdallJobId", cluster, job_id as "jobId", attempt_index as "attemptIndex",
      coalesce(later.has_started, false) as "isOvertaken", is_listed and coalesce(later.all_deleted, false) as "isRolledBack",
      exists (select from job_override o where o.heimdall_job_id = job.heimdall_job_id and o.action = 'restart'
        and o.generation is null) as "isOrdered"
    from job left join lateral (
      select bool_or(other.started_at is not null) as has_started, bool_and(other.status = 'DELETED') as all_deleted
      from job other where job.job_id <> '' and other.job_id = job.job_id and other.cluster = job.cluster
        and other.incarnation = job.incarnation and other.attempt_index > job.attempt_index
    ) later on true
    where heimdall_job_id = ${uuid}`.execute(tx);
  return rows[0];
}

async function saveDecision(tx: Tx, uuid: string, factsSeq: number, decision: Decision, now: Instant): Promise<void> {
  await sql`${ahead}${hot}
    insert into decision (heimdall_job_id, decision, facts_seq, decided_at)
    values (${uuid}, ${json(decision)}::jsonb, ${factsSeq}, ${now})
    on conflict (heimdall_job_id) do update set decision = excluded.decision, facts_seq = excluded.facts_seq,
      decided_at = excluded.decided_at`.execute(tx);
}

async function saveAdvised(tx: Tx, uuid: string, decision: Decision, now: Instant): Promise<void> {
  await sql`
    insert into advice_decision (heimdall_job_id, decision, decided_at) values (${uuid}, ${json(decision)}::jsonb, ${now})
    on conflict (heimdall_job_id) do update set decision = excluded.decision, decided_at = excluded.decided_at`.execute(
    tx,
  );
}

/** @param table `decision`: the latest of each attempt; `advice_decision`: the one that its newest Advice says. */
export async function decisionsOf(
  db: Db,
  uuids: readonly string[],
  table: "decision" | "advice_decision" = "decision",
): Promise<ReadonlyMap<string, StoredDecision>> {
  if (uuids.length === 0) return new Map();
  const rows = await db
    .selectFrom(table)
    .modifyFront(hot)
    .select(["heimdall_job_id", "decision", "decided_at"])
    .where(isAmong("heimdall_job_id", uuids))
    .execute();
  return new Map(rows.map((row) => [row.heimdall_job_id, { decision: row.decision, decidedAt: row.decided_at }]));
}
