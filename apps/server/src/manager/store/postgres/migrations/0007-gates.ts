/**
 * 0007-gates: finding the jobs that wait for others, and the jobs that they name, without reading all.
 *
 * Together old and new code may both run: old code does not use the indexes.
 * Back     drop both indexes, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  // As `waiting` in `graph-store.ts` asks for them, word by word.
  await sql
    .raw(
      `create index job_waiting on job (cluster) where status = 'PENDING' and attempt_index = 0 and started_at is null
        and jsonb_array_length(coverage #> '{policy,dagDependencies}') > 0`,
    )
    .execute(db);
  // A name may be longer than an index entry may be.
  await sql.raw(`create index job_named on job (workflow_id, md5(job_name)) where job_name is not null`).execute(db);
}
