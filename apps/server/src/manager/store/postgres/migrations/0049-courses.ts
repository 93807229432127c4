/**
 * 0049-courses: how attempts went, for people: the curve of their steps, and the lines around what went wrong.
 *
 * Keeps    one row an attempt, bounded; it goes with the details of its attempt.
 * Together old and new code may both run: old code neither writes nor reads it.
 * Back     drop the table, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`create table course (
      heimdall_job_id text primary key,
      curve jsonb not null,
      contexts jsonb not null
    )`)
    .execute(db);
}
