/**
 * step-store: what SAC and the watchdog did, as their journals have it.
 *
 * Writes   table `step`. A step that has ended does not begin again: what its end says is kept.
 */
import { sql } from "kysely";
import { type OwnEvent, stepEvents } from "../../audit/own-events.ts";
import type { StepRecord } from "../../store.ts";
import type { StepTable } from "./history-schema.ts";
import { hot, isAmong } from "./prepared.ts";
import type { Db, Tx } from "./schema.ts";
import { json, present } from "./storable.ts";

/** @returns What is new in them. */
export async function saveSteps(tx: Tx, steps: readonly StepRecord[]): Promise<OwnEvent[]> {
  if (steps.length === 0) return [];
  const latest = new Map<string, StepRecord>();
  for (const step of steps) if (latest.get(step.key)?.endedAt === undefined) latest.set(step.key, step);
  const before = await stepsByKey(tx, [...latest.keys()]);
  await sql`
    insert into step (key, heimdall_job_id, job_id, attempt_index, generation, action, begun_at, ended_at, outcome, detail)
    select key, lower("heimdallJobId"), "jobId", "attemptIndex", generation, action, "begunAt", "endedAt", outcome, detail
    from jsonb_to_recordset(${json([...latest.values()])}::jsonb) as s (key text, "heimdallJobId" text, "jobId" text,
      "attemptIndex" integer, generation integer, action text, "begunAt" bigint, "endedAt" bigint, outcome text, detail text)
    on conflict (key) do update set ended_at = excluded.ended_at, outcome = excluded.outcome, detail = excluded.detail
    where step.ended_at is null`.execute(tx);
  return [...latest.values()].flatMap((step) => {
    const known = before.get(step.key);
    const { outcome, detail, endedAt } = step;
    return stepEvents(known, known === undefined ? step : { ...known, outcome, detail, ...present({ endedAt }) });
  });
}

async function stepsByKey(tx: Tx, keys: readonly string[]): Promise<ReadonlyMap<string, StepRecord>> {
  const rows = await tx.selectFrom("step").selectAll().where("key", "in", keys).execute();
  return new Map(rows.map((row) => [row.key, toStep(row)]));
}

export async function stepsOf(db: Db, uuids: readonly string[]): Promise<StepRecord[]> {
  if (uuids.length === 0) return [];
  const rows = await db
    .selectFrom("step")
    .selectAll()
    .where("heimdall_job_id", "in", [...uuids])
    .orderBy("begun_at")
    .orderBy("key")
    .execute();
  return rows.map(toStep);
}

const toStep = (row: StepTable): StepRecord => ({
  key: row.key,
  heimdallJobId: row.heimdall_job_id,
  jobId: row.job_id,
  attemptIndex: row.attempt_index,
  generation: row.generation,
  action: row.action,
  begunAt: row.begun_at,
  outcome: row.outcome,
  detail: row.detail,
  ...present({ endedAt: row.ended_at }),
});

/** Attempts that SAC cancelled, or may have. */
export async function cancelledOf(db: Db, uuids: readonly string[]): Promise<ReadonlySet<string>> {
  if (uuids.length === 0) return new Set();
  const rows = await selectDone(db, uuids, "cancel").execute();
  return new Set(rows.map((row) => row.heimdall_job_id));
}

/** Attempts that SAC requeued, or may have: a lost answer counts, and what only a SAC without the lease can tell, since retries must end (invariant 9). */
export async function requeuedOf(db: Db, uuids: readonly string[]): Promise<ReadonlySet<string>> {
  if (uuids.length === 0) return new Set();
  const rows = await selectDone(db, uuids, "requeue-hold")
    .union(
      db
        .selectFrom("advice_head")
        .select("heimdall_job_id")
        .where(isAmong("heimdall_job_id", uuids))
        .where("handed_over", "=", true),
    )
    .execute();
  return new Set(rows.map((row) => row.heimdall_job_id));
}

/** Of these attempts, those to which it was done, or may have been. */
const selectDone = (db: Db, uuids: readonly string[], action: string) =>
  db
    .selectFrom("step")
    .select("heimdall_job_id")
    .distinct()
    .modifyFront(hot)
    .where(isAmong("heimdall_job_id", uuids))
    .where("action", "=", action)
    .where("outcome", "not in", ["refused", "moved"]);
