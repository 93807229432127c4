/**
 * 0052-report-id: the name of the last report of a pass, so that its reporter knows after a failure whether it is still there.
 *
 * Keeps    null until the next report: whoever asks then tells everything again.
 * Together old and new code may both run: what old code takes in leaves the name as it is, and its reporter finds another one than its last.
 * Back     drop the column, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table pass add column report_id text`.execute(db);
}
