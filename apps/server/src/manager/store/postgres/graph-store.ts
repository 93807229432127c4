/**
 * graph-store: the jobs that wait for others, and whom they wait for.
 *
 * In the loop   rows → **graph** → gates → decide
 * Writes        nothing; `reconsider` raises facts, through their store.
 * Keeps         one statement, one snapshot: a parent's end and what was decided about it are of the same moment.
 * Bound         every attempt of every job, or task of an array, named by a job that still waits; the ended ones of a reused name are among them.
 */
import { sql } from "kysely";
import type { GraphAttempt } from "@reprise/core/dag/graph.ts";
import type { AttemptRecord, DesiredState, Disposition, Instant, JmState, JobStatus } from "@reprise/core/nouns.ts";
import { lockFacts, raiseKnownFacts } from "./facts-store.ts";
import type { Db, Tx } from "./schema.ts";
import { present } from "./storable.ts";

interface Row {
  readonly heimdall_job_id: string;
  readonly cluster: string;
  readonly job_id: string;
  readonly incarnation: number;
  readonly attempt_index: number;
  readonly workflow_id: string;
  readonly job_name: string | null;
  readonly status: JobStatus;
  readonly jm_state: JmState;
  readonly started_at: Instant | null;
  readonly coverage: AttemptRecord["coverage"];
  readonly submit_at: Instant;
  readonly desired: DesiredState | null;
  readonly withdrawn_at: Instant | null;
  readonly disposition: Disposition | null;
  readonly is_decided: boolean;
}

/** CTEs: `waiting`, the jobs that wait; and `members`: they, and every attempt that one of them names. By UUID. */
export const graphMembers = sql`
    waiting as materialized (
      select heimdall_job_id, cluster, workflow_id, coverage from job
      where status = 'PENDING' and attempt_index = 0 and started_at is null and job_id <> ''
        and jsonb_array_length(coverage #> '{policy,dagDependencies}') > 0
    ), named as (
      select distinct cluster, workflow_id, one ->> 'jobId' as job_id, one ->> 'jobName' as job_name
      from waiting, jsonb_array_elements(waiting.coverage #> '{policy,dagDependencies}') as one
    ), members as (
      select heimdall_job_id from waiting
      union select job.heimdall_job_id from job join named on job.job_id = named.job_id and job.cluster = named.cluster
      union select job.heimdall_job_id from job join named on strpos(job.job_id, '_') > 0
        and split_part(job.job_id, '_', 1) = named.job_id and job.cluster = named.cluster
      union select job.heimdall_job_id from job join named on named.job_id is null and job.workflow_id = named.workflow_id
        and md5(job.job_name) = md5(named.job_name) and job.job_name = named.job_name and job.cluster = named.cluster
    )`;

export async function loadGraph(db: Db): Promise<readonly GraphAttempt[]> {
  const { rows } = await sql<Row>`
    with ${graphMembers}
    select job.heimdall_job_id, job.cluster, job.job_id, job.incarnation, job.attempt_index, job.workflow_id, job.job_name,
      job.status, job.jm_state, job.started_at, job.coverage, coalesce(job.submit_at, job.created_at) as submit_at,
      advice.desired, advice.withdrawn_at, head.disposition,
      coalesce(facts.seq = facts.decided_seq and facts.reconsider_at is null, false) as is_decided
    from members join job using (heimdall_job_id)
      left join facts using (heimdall_job_id)
      left join advice_head head using (heimdall_job_id)
      left join advice on advice.heimdall_job_id = head.heimdall_job_id and advice.generation = head.generation
    where job.job_id <> ''`.execute(db);
  return rows.map(toGraphAttempt);
}

function toGraphAttempt(row: Row): GraphAttempt {
  const { desired, disposition, withdrawn_at: withdrawnAt } = row;
  const advice =
    desired === null || disposition === null ? null : { desired, disposition, ...present({ withdrawnAt }) };
  return {
    heimdallJobId: row.heimdall_job_id,
    cluster: row.cluster,
    jobId: row.job_id,
    incarnation: row.incarnation,
    attemptIndex: row.attempt_index,
    workflowId: row.workflow_id,
    status: row.status,
    jmState: row.jm_state,
    coverage: row.coverage,
    submitAt: row.submit_at,
    isDecided: row.is_decided,
    ...present({ jobName: row.job_name, startedAt: row.started_at, advice }),
  };
}

/** Whoever of this cluster waits for others: what was decided about them may hang on what is learnt now. */
export async function waitingOf(db: Db, cluster: string): Promise<readonly string[]> {
  const { rows } = await sql<{ uuid: string }>`
    with ${graphMembers} select heimdall_job_id as uuid from waiting where cluster = ${cluster}`.execute(db);
  return rows.map(({ uuid }) => uuid);
}

export async function reconsider(tx: Tx, heimdallJobIds: readonly string[], now: Instant): Promise<void> {
  const uuids = heimdallJobIds.map((uuid) => uuid.toLowerCase());
  await lockFacts(tx, uuids);
  await raiseKnownFacts(tx, uuids, now);
}
