/**
 * figures-store: recoveries and runs of a window, one flat row each.
 *
 * Writes   nothing.
 * Keeps    the times are those that `stages.ts` tells of one story; the memory body takes them from there, and the suites compare.
 * Bound    `limit` rows of each; the rest is a few lookups by key for each row.
 */
import { sql } from "kysely";
import type { RunRecord } from "@reprise/core/figures/effective.ts";
import type { RecoveryRecord } from "@reprise/core/figures/recovery.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { FiguresRecords, FiguresWindow } from "../../figures-store.ts";
import type { Tx } from "./schema.ts";
import { present } from "./storable.ts";

/** In a transaction of one snapshot. */
export async function figuresIn(tx: Tx, window: FiguresWindow, limit: number): Promise<FiguresRecords> {
  const [recoveries, runs] = await Promise.all([recoveriesIn(tx, window, limit), runsIn(tx, window, limit)]);
  return { recoveries, runs };
}

/** Of a row `h` of `advice_head` and its `job`: it was first advised about in the window, and is asked for. */
export const isFirstAdvised = (window: FiguresWindow) => sql`
  h.created_at >= ${window.from} and h.created_at < ${window.to} and ${filters(window)}`;

const filters = ({ cluster, partition, workflowId }: FiguresWindow) => sql`
  ${cluster === undefined ? sql`true` : sql`job.cluster = ${cluster}`}
  and ${workflowId === undefined ? sql`true` : sql`job.workflow_id = ${workflowId}`}
  and ${partition === undefined ? sql`true` : sql`${partition} = any(string_to_array(job.scheduler_metadata #>> '{slurm,partition}', ','))`}`;

type Times = "detectedAt" | "actedAt" | "releasedAt" | "runningAt" | "resumedAt" | "convergedAt" | "completedAt";
type RecoveryRow = Omit<RecoveryRecord, Times> & { readonly [T in Times]: Instant | null };

export async function recoveriesIn(tx: Tx, window: FiguresWindow, limit: number): Promise<readonly RecoveryRecord[]> {
  const { rows } = await sql<RecoveryRow>`
    with head as (
      select h.*, job.job_id, job.incarnation, job.attempt_index, jsonb_array_length(job.nodes) as nodes,
        job.detail_expired is null as has_details
      from advice_head h join job using (heimdall_job_id)
      where ${isFirstAdvised(window)}
    )
    select head.heimdall_job_id as "heimdallJobId", head.nodes, head.has_details as "hasDetails",
      said.desired, said.because, said.issues #>> '{0,causeClass}' as "causeClass", said.issues #>> '{0,domain}' as domain,
      head.disposition, head.reason, said.withdrawn_at is not null as "isWithdrawn", said.expires_at as "expiresAt",
      root.at as "rootAt", head.created_at as "decidedAt",
      (select min(recorded_at) from signal s where s.heimdall_job_id = head.heimdall_job_id and s.at = root.at) as "detectedAt",
      coalesce(step."requeuedAt", step."cancelledAt", mark."requeuedAt", mark."cancelledAt") as "actedAt",
      coalesce(step."releasedAt", mark."releasedAt") as "releasedAt",
      next.started_at as "runningAt", progress.resumed_at as "resumedAt",
      case when head.disposition = 'CONVERGED' then head.observed_at end as "convergedAt",
      (select j.ended_at from job j where j.status = 'COMPLETED' and ${isLater} order by attempt_index limit 1)
        as "completedAt"
    from head
      join advice said on said.heimdall_job_id = head.heimdall_job_id and said.generation = head.generation
      join advice first on first.heimdall_job_id = head.heimdall_job_id and first.generation = 1
      join lateral (select (first.issues #>> '{0,detectedAt}')::bigint as at) root on root.at is not null
      left join lateral (
        select min(ended_at) filter (where action = 'requeue-hold') as "requeuedAt",
          min(ended_at) filter (where action = 'cancel') as "cancelledAt",
          min(ended_at) filter (where action in ('release', 'watchdog-release')) as "releasedAt"
        from step s where s.heimdall_job_id = head.heimdall_job_id and outcome = 'done') step on true
      left join lateral (
        select min(completed_at) filter (where action = 'SLURM_REQUEUE_HOLD') as "requeuedAt",
          min(completed_at) filter (where action = 'SLURM_CANCEL') as "cancelledAt",
          min(completed_at) filter (where action = 'SLURM_RELEASE') as "releasedAt"
        from recovery_sequence q join recovery_milestone using (sequence_id)
        where q.heimdall_job_id = head.heimdall_job_id) mark on true
      left join lateral (
        select j.heimdall_job_id, j.started_at from job j where ${isLater} order by attempt_index limit 1) next on true
      left join progress on progress.heimdall_job_id = next.heimdall_job_id
    where ${isRecovery("said")}
    order by head.heimdall_job_id limit ${limit}`.execute(tx);
  return rows.map(({ detectedAt, actedAt, releasedAt, runningAt, resumedAt, convergedAt, completedAt, ...row }) => ({
    ...row,
    ...present({ detectedAt, actedAt, releasedAt, runningAt, resumedAt, convergedAt, completedAt }),
  }));
}

/** Of a row of `advice`: what gates advise, and a restart after a clean end, is no recovery. */
export const isRecovery = (advice: string) => {
  const [desired, because] = [sql.ref(`${advice}.desired`), sql.ref(`${advice}.because`)];
  return sql`${desired} <> 'RELEASED' and ${because} not like 'dag-%' and ${because} <> 'completed'`;
};

/** Of a row `j` of `job`, and another one: they are attempts of one incarnation. */
export const isKin = (other: "head" | "job") => {
  const of = sql.ref(other);
  return sql`${of}.job_id <> '' and j.job_id = ${of}.job_id and j.cluster = ${of}.cluster and j.incarnation = ${of}.incarnation`;
};

export const isLater = sql`${isKin("head")} and j.attempt_index > head.attempt_index`;

interface RunRow extends Omit<RunRecord, "endedAt" | "progress" | "resumedFromStep"> {
  readonly endedAt: Instant | null;
  readonly firstStep: number | null;
  readonly firstStepAt: Instant | null;
  readonly lastStep: number | null;
  readonly lastStepAt: Instant | null;
  readonly resumedFromStep: number | null;
}

async function runsIn(tx: Tx, window: FiguresWindow, limit: number): Promise<readonly RunRecord[]> {
  const { rows } = await sql<RunRow>`
    select job.heimdall_job_id as "heimdallJobId", job.cluster, job.job_id as "jobId", job.incarnation,
      coalesce(nullif(jsonb_array_length(job.nodes), 0), previous.nodes, 0) as nodes,
      coalesce(previous.ended_at, job.started_at) as "fromAt", job.ended_at as "endedAt",
      own.first_step as "firstStep", own.first_step_at as "firstStepAt", own.last_step as "lastStep", own.last_step_at as "lastStepAt",
      coalesce(after.resumed_from_step, after.first_step) as "resumedFromStep"
    from job
      left join lateral (
        select ended_at, jsonb_array_length(nodes) as nodes from job j
        where ${isKin("job")} and j.attempt_index < job.attempt_index
        order by attempt_index desc limit 1) previous on true
      left join lateral (
        select heimdall_job_id from job j
        where ${isKin("job")} and j.attempt_index > job.attempt_index
        order by attempt_index limit 1) next on true
      left join progress own on own.heimdall_job_id = job.heimdall_job_id
      left join progress after on after.heimdall_job_id = next.heimdall_job_id
    where (job.ended_at >= ${window.from} or (job.ended_at is null and job.status in ('PENDING', 'RUNNING')))
      and job.created_at < ${window.to} and coalesce(previous.ended_at, job.started_at) < ${window.to}
      and job.coverage ->> 'kind' = 'covered' and ${filters(window)}
    order by job.heimdall_job_id limit ${limit}`.execute(tx);
  return rows.map(({ endedAt, firstStep, firstStepAt, lastStep, lastStepAt, resumedFromStep, ...row }) => ({
    ...row,
    progress: present({ firstStep, firstStepAt, lastStep, lastStepAt }),
    ...present({ endedAt, resumedFromStep }),
  }));
}
