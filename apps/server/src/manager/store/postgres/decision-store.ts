/**
 * decision-store: what was decided about attempts becomes Advice, or the reason why not.
 *
 * In the loop   Decision → **record** → Advice
 * Gives         of each `recorded` with its generation; `unchanged`; or `stale`: decide again. A stale decision wrote nothing.
 * Writes        tables `decision` (the latest one of each attempt) and `advice_decision` (the one that its newest Advice says), and
 *               through their stores `advice`, `job_override` and `audit`, in one transaction.
 * Keeps         what `rules/recording.ts` says; the same outcome is advised once; what was carried out or given up stays as it is.
 * Bound         as many statements for a batch as for one attempt.
 */
import { sql } from "kysely";
import type { Decision } from "@reprise/core/decide/decision.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Decided, Recorded } from "../../decisions.ts";
import type { StoredDecision } from "../../store.ts";
import { answerOf, type Recording, recordingOf, requireDistinct, type Source } from "../rules/recording.ts";
import { addGenerations, adviceOf } from "./advice-store.ts";
import { ahead } from "./ahead.ts";
import { recordOwnEvents } from "./audit-store.ts";
import { holdFacts, markDecided, releaseClaims } from "./facts-store.ts";
import { markFulfilled } from "./override-store.ts";
import type { Written } from "./changes.ts";
import { hot, isAmong } from "./prepared.ts";
import type { Db, Tx } from "./schema.ts";
import { json, storable } from "./storable.ts";

export async function recordDecisions(
  tx: Tx,
  given: readonly Decided[],
  now: Instant,
): Promise<Written<readonly Recorded[]>> {
  const batch = given.map(({ heimdallJobId, factsSeq, decision }) => {
    return { heimdallJobId: heimdallJobId.toLowerCase(), factsSeq, decision: storable(decision) };
  });
  requireDistinct(batch);
  const recordings = await judged(tx, batch, now);
  const written = recordings.filter((one) => one !== undefined);
  await releaseClaims(
    tx,
    batch.filter((_, i) => recordings[i] === undefined).map(({ heimdallJobId }) => heimdallJobId),
  );
  await saveDecisions(tx, written, now);
  await markDecided(
    tx,
    written.map(({ decided }) => decided),
  );
  const advised = written.flatMap(({ source, advised: one }) => (one === undefined ? [] : [{ ...one, source }]));
  await addGenerations(tx, advised, now);
  await markFulfilled(
    tx,
    advised.filter(({ isOrdered }) => isOrdered),
  );
  await recordOwnEvents(
    tx,
    written.flatMap(({ events }) => events),
  );
  const changes = advised.map(({ source }) => ({ kind: "advice" as const, heimdallJobId: source.heimdallJobId }));
  return { answer: recordings.map(answerOf), changes };
}

/** One after the other, but sent at once: what is read is read behind the fence. */
async function judged(tx: Tx, batch: readonly Decided[], now: Instant): Promise<readonly (Recording | undefined)[]> {
  const uuids = batch.map(({ heimdallJobId }) => heimdallJobId);
  const [held, sources, before, advice] = await Promise.all([
    holdFacts(tx, uuids),
    sourcesOf(tx, uuids),
    outcomesOf(tx, uuids),
    adviceOf(tx, uuids),
  ]);
  return batch.map((decided) => {
    const { heimdallJobId: uuid } = decided;
    const [factsSeq, source] = [held.get(uuid), sources.get(uuid)];
    const isKnown = factsSeq !== undefined && source !== undefined;
    const stored = isKnown ? { factsSeq, source, before: before.get(uuid), advice: advice.get(uuid) } : undefined;
    return recordingOf(decided, stored, now);
  });
}

async function sourcesOf(tx: Tx, uuids: readonly string[]): Promise<ReadonlyMap<string, Source>> {
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
    where ${isAmong("heimdall_job_id", uuids)}`.execute(tx);
  return new Map(rows.map((row) => [row.heimdallJobId, row]));
}

type Outcome = Pick<Decision, "kind" | "because">;

async function outcomesOf(tx: Tx, uuids: readonly string[]): Promise<ReadonlyMap<string, Outcome>> {
  const { rows } = await sql<Outcome & { readonly uuid: string }>`${hot}
    select heimdall_job_id as uuid, decision ->> 'kind' as kind, decision ->> 'because' as because
    from decision where ${isAmong("heimdall_job_id", uuids)}`.execute(tx);
  return new Map(rows.map(({ uuid, ...outcome }) => [uuid, outcome]));
}

async function saveDecisions(tx: Tx, recordings: readonly Recording[], now: Instant): Promise<void> {
  if (recordings.length === 0) return;
  const rows = recordings.map(({ decided, advised }) => ({
    uuid: decided.heimdallJobId,
    decision: decided.decision,
    seq: decided.factsSeq,
    isAdvised: advised !== undefined && decided.decision.kind === "advise",
  }));
  await sql`${ahead}${hot}
    with given as materialized (
      select * from jsonb_to_recordset(${json(rows)}::jsonb) as g (uuid text, decision jsonb, seq bigint, "isAdvised" boolean)
    ), advised as (
      insert into advice_decision (heimdall_job_id, decision, decided_at)
      select uuid, decision, ${now}::bigint from given where "isAdvised"
      on conflict (heimdall_job_id) do update set decision = excluded.decision, decided_at = excluded.decided_at
    )
    insert into decision (heimdall_job_id, decision, facts_seq, decided_at)
    select uuid, decision, seq, ${now}::bigint from given
    on conflict (heimdall_job_id) do update set decision = excluded.decision, facts_seq = excluded.facts_seq,
      decided_at = excluded.decided_at`.execute(tx);
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
