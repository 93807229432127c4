/**
 * 0009-retention: which attempts have lost their details for their age.
 *
 * Keeps    the index holds only what may still lose them: a batch reads no more than it removes.
 * Together old and new code may both run: old code removes nothing.
 * Back     drop the index and the column, and the row in `kysely_migration`. What was removed stays removed.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // Null where it has not: rows come by `jsonb_populate_recordset`, which knows no defaults.
  `alter table job add column detail_expired boolean`,
  `create index job_expirable on job (last_seen_at, heimdall_job_id)
    where detail_expired is null and not is_listed and status not in ('PENDING', 'RUNNING')`,
];
