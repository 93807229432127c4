/**
 * 0002-audit-and-sequences: the audit trail is read by its filters; recoveries have sequences and milestones.
 *
 * Keeps    every Advice that is there has its sequence, as if it had been made with it. Milestones are history.
 * Together old and new code: Advice that the older one records meanwhile has no sequence, and reading it finds none.
 * Back     drop the two tables and the three indexes.
 */
import { sql, type Kysely } from "kysely";
import type { DesiredState, Instant } from "@reprise/core/nouns.ts";
import { operationOf, sequenceIdOf } from "@reprise/core/sequence/sequence.ts";

const statements = [
  `create index audit_type on audit (type, produced_at_us, id)`,
  `create index audit_producer on audit (producer, produced_at_us, id)`,
  // Nearly all others are of that level.
  `create index audit_notable on audit (level, produced_at_us, id) where level <> 'info'`,

  `create table recovery_sequence (
    sequence_id text primary key,
    heimdall_job_id text not null,
    operation text not null,
    started_at bigint not null,
    unique (heimdall_job_id, operation)
  )`,
  `create table recovery_milestone (
    id bigint generated always as identity primary key,
    sequence_id text not null,
    idempotency_key text not null,
    action text not null,
    completed_at bigint not null,
    outcome text,
    unique (sequence_id, idempotency_key)
  )`,
  ...["recovery_sequence", "recovery_milestone"].map(
    (table) =>
      `create trigger ${table}_is_history before update on ${table} for each row execute function refuse_change()`,
  ),
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
  await addMissing(db);
}

interface Begun {
  readonly uuid: string;
  readonly desired: DesiredState;
  readonly startedAt: Instant;
}

async function addMissing(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<Begun>`
    select heimdall_job_id as uuid, desired, min(recorded_at) as "startedAt" from advice group by 1, 2`.execute(db);
  const sequences = rows.map(({ uuid, desired, startedAt }) => {
    const operation = operationOf(desired);
    return { id: sequenceIdOf(uuid, operation), uuid, operation, startedAt };
  });
  await sql`
    insert into recovery_sequence (sequence_id, heimdall_job_id, operation, started_at)
    select s.id, s.uuid, s.operation, s."startedAt" from jsonb_to_recordset(${JSON.stringify(sequences)}::jsonb)
      as s (id text, uuid text, operation text, "startedAt" bigint)`.execute(db);
}
