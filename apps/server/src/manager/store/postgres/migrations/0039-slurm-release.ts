/**
 * 0039-slurm-release: which Slurm the last pass over a cluster was of, and whether recovery may act on it.
 *
 * Together old and new code may both run: old code leaves both null, and a change meanwhile is told by the next pass of new code.
 * Back     drop both columns, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw("alter table pass add column slurm_version text, add column slurm_standing text").execute(db);
}
