/**
 * 0050-traces: what of each recovery has been told as spans of a trace.
 *
 * Keeps    one row a sequence that is or was told; `due_at` null: nothing more comes.
 * Together old and new code may both run: old code tells no traces. It leaves such rows when a sequence goes for its age; they are small.
 * Back     drop the table, the index, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table recovery_trace (
    sequence_id text primary key,
    due_at bigint,
    told jsonb not null
  )`,
  `create index recovery_trace_due on recovery_trace (due_at) where due_at is not null`,
  `create index recovery_sequence_started on recovery_sequence (started_at)`,
];
