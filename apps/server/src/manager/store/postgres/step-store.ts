/**
 * step-store: what SAC and the watchdog did, as their journals have it.
 *
 * Writes   table `step`. A step that has ended does not begin again: what its end says is kept.
 */
import { sql } from "kysely";
import type { StepRecord } from "../../store.ts";
import type { Db, Tx } from "./schema.ts";
import { json, present } from "./storable.ts";

/** @returns The keys of all of them: once the transaction is committed the reporter may forget them. */
export async function saveSteps(tx: Tx, steps: readonly StepRecord[]): Promise<string[]> {
  if (steps.length === 0) return [];
  const latest = new Map<string, StepRecord>();
  for (const step of steps) if (latest.get(step.key)?.endedAt === undefined) latest.set(step.key, step);
  await sql`
    insert into step (key, heimdall_job_id, job_id, attempt_index, generation, action, begun_at, ended_at, outcome, detail)
    select key, lower("heimdallJobId"), "jobId", "attemptIndex", generation, action, "begunAt", "endedAt", outcome, detail
    from jsonb_to_recordset(${json([...latest.values()])}::jsonb) as s (key text, "heimdallJobId" text, "jobId" text,
      "attemptIndex" integer, generation integer, action text, "begunAt" bigint, "endedAt" bigint, outcome text, detail text)
    on conflict (key) do update set ended_at = excluded.ended_at, outcome = excluded.outcome, detail = excluded.detail
    where step.ended_at is null`.execute(tx);
  return steps.map(({ key }) => key);
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
  return rows.map((row) => ({
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
  }));
}

/** Attempts that SAC requeued, or may have requeued: a lost answer counts, since retries must end (invariant 9). */
export async function requeuedOf(db: Db, uuids: readonly string[]): Promise<ReadonlySet<string>> {
  if (uuids.length === 0) return new Set();
  const rows = await db
    .selectFrom("step")
    .select("heimdall_job_id")
    .distinct()
    .where("heimdall_job_id", "in", [...uuids])
    .where("action", "=", "requeue-hold")
    .where("outcome", "not in", ["refused", "moved"])
    .execute();
  return new Set(rows.map((row) => row.heimdall_job_id));
}
