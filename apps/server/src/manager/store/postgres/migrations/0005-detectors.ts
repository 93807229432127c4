/**
 * 0005-detectors: what the detectors of silence and of lost throughput measured, and what a reader remembers beyond its offset.
 *
 * Together old and new code may both run: old code neither writes nor reads the columns, and its watchers begin to learn anew.
 * Back     drop both columns, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table signal add column detail text`).execute(db);
  await sql.raw(`alter table log_position add column memory text`).execute(db);
}
