/**
 * trace-store: what of each recovery has been told as spans of a trace.
 *
 * Writes   table `recovery_trace`. Its rows go with their sequence (`expire-details.ts`).
 * Keeps    a span is told by whoever writes its name first (the row is locked); whoever comes second, also another replica, tells nothing.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { OpenTrace, TraceClaim } from "../../trace-store.ts";
import type { Tx } from "./schema.ts";
import { json } from "./storable.ts";

export async function claimTraces(
  tx: Tx,
  { from, limit, claimMs }: TraceClaim,
  now: Instant,
): Promise<readonly OpenTrace[]> {
  await sql`
    insert into recovery_trace (sequence_id, due_at, told)
    select sequence_id, ${now}::bigint, '[]'::jsonb from recovery_sequence begun
    where started_at >= ${from}::bigint
      and not exists (select from recovery_trace t where t.sequence_id = begun.sequence_id)
    order by sequence_id
    on conflict do nothing`.execute(tx);
  const { rows } = await sql<OpenTrace>`
    with due as (
      select sequence_id, due_at from recovery_trace where due_at <= ${now}::bigint
      order by due_at, sequence_id limit ${limit} for update skip locked
    ), claimed as (
      update recovery_trace t set due_at = ${now}::bigint + ${claimMs}::bigint
      from due where t.sequence_id = due.sequence_id returning t.sequence_id, due.due_at as was_due_at
    )
    select sequence_id as "sequenceId", begun.operation, begun.started_at as "startedAt",
      heimdall_job_id as "heimdallJobId", job.cluster, job.job_id as "jobId"
    from claimed join recovery_sequence begun using (sequence_id) join job using (heimdall_job_id)
    order by was_due_at, sequence_id`.execute(tx);
  return rows;
}

export async function tellSpans(
  tx: Tx,
  sequenceId: string,
  names: readonly string[],
  dueAt?: Instant,
): Promise<readonly string[]> {
  const row = await tx
    .selectFrom("recovery_trace")
    .select("told")
    .where("sequence_id", "=", sequenceId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return [];
  const untold = names.filter((name) => !row.told.includes(name));
  await tx
    .updateTable("recovery_trace")
    .set({ told: json([...row.told, ...untold]), due_at: dueAt ?? null })
    .where("sequence_id", "=", sequenceId)
    .execute();
  return untold;
}
