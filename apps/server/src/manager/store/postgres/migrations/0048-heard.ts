/**
 * 0048-heard: when a look at Slurm was taken by the server's clock, beside when it was taken by that of SAC.
 *
 * Keeps    what was reported before keeps SAC's time, until the next pass says more.
 * Together old and new code may both run: what old code takes in leaves these times as they are, and new code decides nothing once they
 *          are old.
 * Back     drop the columns, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table pass add column heard_at bigint not null default 0, add column complete_heard_at bigint`,
  `update pass set heard_at = taken_at, complete_heard_at = complete_at`,
];
