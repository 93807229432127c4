/**
 * 0012-old-attempts: finding the attempts that are old enough to go; and no statistics of JSON, which no plan asks for and which
 * were most of the work of an `analyze`.
 *
 * Together old and new code may both run: old code removes no attempt, and shows pages from which some have gone as if they ended there
 *          less far: stop it first where `attempt_retention_days` is not 0.
 * Back     drop the index, `set statistics -1` on the columns, and the row in `kysely_migration`. What was removed stays removed.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const json: Readonly<Record<string, readonly string[]>> = {
  job: ["nodes", "node_constraints", "additional_properties", "scheduler_metadata", "recovery_config", "coverage"],
  signal: ["evidence", "nodes"],
  decision: ["decision"],
  advice_decision: ["decision"],
  advice: ["exclusions", "issues"],
  audit: ["payload"],
};

const statements = [
  `create index job_old on job (last_seen_at, heimdall_job_id) where not is_listed and status not in ('PENDING', 'RUNNING')`,
  ...Object.entries(json).map(
    ([table, columns]) =>
      `alter table ${table} ${columns.map((column) => `alter column ${column} set statistics 0`).join(", ")}`,
  ),
];
