/**
 * 0010-handovers: whose restart was open when the lease went from one SAC to another.
 *
 * Together old and new code may both run: old code leaves it false, and counts fewer restarts as ours, as it always did.
 * Back     drop the column, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw("alter table advice_head add column handed_over boolean not null default false").execute(db);
}
