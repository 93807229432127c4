/**
 * 0004-places: what listings need so that a walk by offset is exact, and no slower at its end than at its beginning.
 *
 * Keeps    `workflow.created_seq` without gaps, as `job.created_seq` is: an offset is a place in them. `listing_place` holds the
 *          places of attempts that changed their workflow or got their job ID late; `has_moved` names those attempts.
 * Together old and new code: no. Old code numbers workflows itself; stop all replicas first.
 * Back     drop what is added here; `alter table workflow alter created_seq add generated always as identity`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table job add column has_moved boolean not null default false`,
  `create sequence listing_late`,
  `create table listing_place (
    list text not null,
    value text not null,
    heimdall_job_id text not null,
    created_seq bigint not null,
    late_seq bigint not null,
    primary key (list, value, heimdall_job_id)
  )`,
  `drop index job_workflow`,
  `create index job_workflow on job (workflow_id, created_seq) include (heimdall_job_id, has_moved)`,
  `create index job_state on job (jm_state, created_seq)`,
  `create index job_final on job (created_seq) include (heimdall_job_id) where status not in ('PENDING', 'RUNNING')`,
  `create index job_eligible on job (created_seq)
    where status in ('PENDING', 'RUNNING', 'FAILED', 'STOPPED') and jm_state not in ('COMPLETED', 'REQUEUED')`,
  `create index advice_head_active on advice_head (created_at desc, heimdall_job_id desc) where disposition = 'PENDING'`,

  `alter table workflow alter column created_seq drop identity`,
  // In two steps: a unique column may not hold a number twice, not even within one statement.
  `update workflow set created_seq = -n from (
    select workflow_id as id, row_number() over (order by created_seq) as n from workflow) numbered where workflow_id = id`,
  `update workflow set created_seq = -created_seq`,
];
