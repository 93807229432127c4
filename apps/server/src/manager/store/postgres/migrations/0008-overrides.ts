/**
 * 0008-overrides: what people order about jobs: forbid, force or take back a restart; and the decision that each Advice says.
 *
 * Keeps    `job_override`: one row an order, in the order of `id`; of a job only those since they were last cleared (the audit trail has them all).
 * Together old and new code may both run: old code neither writes the table nor obeys what is in it.
 * Back     drop both tables, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table job_override (
    id bigint generated always as identity primary key,
    heimdall_job_id text not null references job (heimdall_job_id) on delete cascade,
    action text not null,
    attempt_index integer not null,
    reason text not null,
    by_whom text not null,
    ordered_at bigint not null,
    generation integer
  )`,
  `create index job_override_attempt on job_override (heimdall_job_id, id)`,
  // `decision` has only the newest one of an attempt, which after a restart says that it was overtaken.
  `create table advice_decision (
    heimdall_job_id text primary key references job (heimdall_job_id) on delete cascade,
    decision jsonb not null,
    decided_at bigint not null
  )`,
];
