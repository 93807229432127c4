/**
 * 0014-arrays: finding the tasks of an array by the array's ID, which is what a job that waits for all of them names.
 *
 * Together old and new code may both run: old code does not use the index.
 * Back     drop the index, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  // As `graph-store.ts` asks for them, word by word.
  await sql
    .raw(`create index job_of_array on job (split_part(job_id, '_', 1), cluster) where strpos(job_id, '_') > 0`)
    .execute(db);
}
