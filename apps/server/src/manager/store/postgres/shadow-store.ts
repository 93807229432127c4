/**
 * shadow-store: attempts that SAC only observed, and what became of them, one flat row each.
 *
 * Writes   nothing.
 * Keeps    the same rows as the memory body gives; the suites compare.
 * Bound    `limit` rows; the rest is a few lookups by key for each: jobs of one name by `job_named`.
 */
import { sql } from "kysely";
import type { ShadowRecord } from "@reprise/core/figures/shadow.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { FiguresWindow } from "../../figures-store.ts";
import { resubmittedWithinMs } from "../rules/resubmission.ts";
import { isFirstAdvised, isLater, isRecovery } from "./figures-store.ts";
import type { Tx } from "./schema.ts";
import { present } from "./storable.ts";

type Times =
  | "endedAt"
  | "lastStepAt"
  | "requeuedAt"
  | "restartedAt"
  | "completedAt"
  | "resubmittedAt"
  | "resubmitStartedAt";
type Texts = "jobName" | "resubmittedAs";
type ShadowRow = Omit<ShadowRecord, Times | Texts> & { readonly [T in Times]: Instant | null } & {
  readonly [T in Texts]: string | null;
};

/** In a transaction of one snapshot. */
export async function shadowIn(tx: Tx, window: FiguresWindow, limit: number): Promise<readonly ShadowRecord[]> {
  const { rows } = await sql<ShadowRow>`
    with head as (
      select h.heimdall_job_id, h.created_at as decided_at, job.cluster, job.job_id, job.incarnation, job.attempt_index, job.job_name,
        job.user_name, job.workflow_id, job.status, job.ended_at, jsonb_array_length(job.nodes) as nodes
      from advice_head h join job using (heimdall_job_id)
      where ${isFirstAdvised(window)}
        and exists (select from advice_status s where s.heimdall_job_id = h.heimdall_job_id and s.reason = 'OBSERVE_MODE')
        and not exists (select from step s where s.heimdall_job_id = h.heimdall_job_id and s.outcome <> 'refused')
    )
    select head.heimdall_job_id as "heimdallJobId", head.cluster, head.job_id as "jobId", head.attempt_index as "attemptIndex",
      head.workflow_id as "workflowId", head.job_name as "jobName", first.desired, first.because, (first.issues #>> '{0,detectedAt}')::bigint as "rootAt",
      head.decided_at as "decidedAt", head.nodes, head.status, head.ended_at as "endedAt", progress.last_step_at as "lastStepAt",
      next.created_at as "requeuedAt", next.started_at as "restartedAt",
      (select j.ended_at from job j where j.status = 'COMPLETED' and ${isLater} order by attempt_index limit 1)
        as "completedAt",
      anew.job_id as "resubmittedAs", anew.created_at as "resubmittedAt", anew.started_at as "resubmitStartedAt"
    from head
      join advice first on first.heimdall_job_id = head.heimdall_job_id and first.generation = 1
      left join progress on progress.heimdall_job_id = head.heimdall_job_id
      left join lateral (
        select j.created_at, j.started_at from job j where ${isLater} order by attempt_index limit 1) next on true
      left join lateral (
        select j.job_id, j.created_at, j.started_at from job j
        where head.job_id <> '' and j.job_id <> '' and j.workflow_id = head.workflow_id and j.job_name is not null
          and md5(j.job_name) = md5(head.job_name) and j.job_name = head.job_name
          and j.user_name is not distinct from head.user_name and j.cluster = head.cluster and j.attempt_index = 0
          and split_part(j.job_id, '_', 1) <> split_part(head.job_id, '_', 1)
          and j.created_at > head.ended_at and j.created_at <= head.ended_at + ${resubmittedWithinMs}::bigint
        order by j.created_at, j.heimdall_job_id limit 1) anew on true
    where first.issues #>> '{0,detectedAt}' is not null and ${isRecovery("first")}
    order by head.heimdall_job_id limit ${limit}`.execute(tx);
  return rows.map(asRecord);
}

function asRecord(row: ShadowRow): ShadowRecord {
  const { jobName, resubmittedAs, endedAt, lastStepAt, ...rest } = row;
  const { requeuedAt, restartedAt, completedAt, resubmittedAt, resubmitStartedAt, ...plain } = rest;
  const times = { endedAt, lastStepAt, requeuedAt, restartedAt, completedAt, resubmittedAt, resubmitStartedAt };
  return { ...plain, ...present({ jobName, resubmittedAs, ...times }) };
}
