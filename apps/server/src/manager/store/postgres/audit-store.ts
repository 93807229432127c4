/**
 * audit-store: the audit trail: written by whoever records what it tells of, and by the queue of what others send.
 *
 * Writes   table `audit`; its rows are never changed.
 * Keeps    one row for each (producer, idempotency key), also over restarts and replicas: a unique index holds it.
 */
import { sql, type Selectable } from "kysely";
import { asAuditEvent, type OwnEvent } from "../../audit/own-events.ts";
import type { AuditEvent, AuditFilter, AuditWalk, StoredAuditEvent } from "../../audit/audit-trail.ts";
import type { Page } from "../../store.ts";
import { ahead } from "./ahead.ts";
import { page } from "./job-query.ts";
import type { AuditTable } from "./history-schema.ts";
import { hot } from "./prepared.ts";
import type { Db, Tx } from "./schema.ts";
import { json, present, storable } from "./storable.ts";

/** Part of the transaction of what they tell of. */
export async function recordOwnEvents(tx: Tx, events: readonly OwnEvent[]): Promise<void> {
  if (events.length === 0) return;
  await sql`${ahead}${hot} ${insertion(storable(events.map(asAuditEvent)))}`.execute(tx);
}

export async function recordAuditEvents(
  tx: Tx,
  given: readonly AuditEvent[],
): Promise<{ readonly recorded: number; readonly repeated: number }> {
  const events = storable(given);
  const { rows } = await sql`${insertion(events)} returning id`.execute(tx);
  return { recorded: rows.length, repeated: events.length - rows.length };
}

const insertion = (events: readonly AuditEvent[]) => sql`
    insert into audit (heimdall_job_id, job_id, attempt_index, producer, type, level, payload, idempotency_key, produced_at_us)
    select lower("heimdallJobId"), "jobId", "attemptIndex", producer, type, level, coalesce(payload, 'null'::jsonb),
      "idempotencyKey", "producedAtUs"
    from jsonb_to_recordset(${json(events)}::jsonb) as e ("heimdallJobId" text, "jobId" text, "attemptIndex" integer, producer text,
      type text, level text, payload jsonb, "idempotencyKey" text, "producedAtUs" bigint)
    on conflict (producer, md5(idempotency_key)) where idempotency_key is not null do nothing`;

export async function listAuditEvents(
  db: Db,
  filter: AuditFilter,
  { order, after, limit }: AuditWalk,
): Promise<Page<StoredAuditEvent>> {
  let query = db.selectFrom("audit").selectAll();
  const equal = {
    heimdall_job_id: filter.heimdallJobId?.toLowerCase(),
    job_id: filter.jobId,
    attempt_index: filter.attemptIndex,
    type: filter.type,
    level: filter.level,
    producer: filter.producer,
  };
  for (const [column, value] of Object.entries(equal)) {
    if (value !== undefined) query = query.where(column as keyof typeof equal, "=", value);
  }
  if (filter.fromUs !== undefined) query = query.where("produced_at_us", ">=", filter.fromUs);
  if (filter.toUs !== undefined) query = query.where("produced_at_us", "<=", filter.toUs);
  if (after !== undefined) {
    const beyond = sql.raw(order === "asc" ? ">" : "<");
    query = query.where(
      sql<boolean>`(produced_at_us, id) ${beyond} (${after.producedAtUs}::bigint, ${after.id}::bigint)`,
    );
  }
  const rows = await query
    .orderBy("produced_at_us", order)
    .orderBy("id", order)
    .limit(limit + 1)
    .execute();
  return page(rows, limit, toEvent);
}

const toEvent = (row: Selectable<AuditTable>): StoredAuditEvent => ({
  id: row.id,
  producer: row.producer,
  type: row.type,
  level: row.level,
  payload: row.payload,
  producedAtUs: row.produced_at_us,
  ...present({
    heimdallJobId: row.heimdall_job_id,
    jobId: row.job_id,
    attemptIndex: row.attempt_index,
    idempotencyKey: row.idempotency_key,
  }),
});
