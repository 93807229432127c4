/**
 * 0040-log-heard: when a watcher last said how far it had read the log of an attempt, by the server's clock.
 *
 * Together old and new code may both run: old code leaves it as it is, so that a restart of a running program waits for new code.
 * Back     drop the column, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null where nobody has said so: rows come by `jsonb_populate_recordset`, which knows no defaults.
  await sql.raw("alter table progress add column log_heard_at bigint").execute(db);
}
