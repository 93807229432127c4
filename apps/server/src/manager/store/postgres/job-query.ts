/**
 * job-query: attempts and workflows, as people and programs ask for them.
 *
 * Keeps   listings are in the order of creation, which is the order of commit (`job-rows`): a walk by offset neither skips nor
 *         repeats a row. A filter on states that change cannot promise that.
 */
import { sql } from "kysely";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import type { JobFilter, Page, Slice, WorkflowRecord } from "../../store.ts";
import { selectJobs, toAttempt } from "./select-jobs.ts";
import type { Db } from "./schema.ts";
import { present } from "./storable.ts";

/** @param rows One more than asked for, where there is one. */
export function page<Row, T>(rows: readonly Row[], limit: number, read: (row: Row) => T): Page<T> {
  return { rows: rows.slice(0, limit).map(read), hasMore: rows.length > limit };
}

export async function getJobByUuid(db: Db, heimdallJobId: string): Promise<AttemptRecord | undefined> {
  const row = await selectJobs(db).where("job.heimdall_job_id", "=", heimdallJobId.toLowerCase()).executeTakeFirst();
  return row && toAttempt(row);
}

export async function getJobByAttempt(
  db: Db,
  cluster: string,
  jobId: string,
  attemptIndex: number,
): Promise<AttemptRecord | undefined> {
  if (jobId === "") return undefined;
  const row = await selectJobs(db)
    .where("job.job_id", "=", jobId)
    .where("job.cluster", "=", cluster)
    .where("job.attempt_index", "=", attemptIndex)
    .where(sql<boolean>`job.incarnation = (
      select max(incarnation) from job newest where newest.job_id = job.job_id and newest.cluster = job.cluster)`)
    .executeTakeFirst();
  return row && toAttempt(row);
}

export async function listJobs(db: Db, filter: JobFilter, { offset, limit }: Slice): Promise<Page<AttemptRecord>> {
  let query = selectJobs(db);
  const { workflowIds = [], jobIds = [], jmState, completed, endTimeFrom, endTimeTo } = filter;
  if (workflowIds.length > 0) query = query.where("job.workflow_id", "in", [...workflowIds]);
  if (jobIds.length > 0) query = query.where("job.job_id", "in", [...jobIds]).where("job.job_id", "<>", "");
  if (jmState !== undefined) query = query.where(sql<boolean>`job.jm_state = ${jmState}`);
  if (filter.reconciliationEligible === true) query = query.where(isEligible);
  if (completed !== undefined) query = query.where(completed ? sql<boolean>`not ${isLive}` : isLive);
  if (endTimeFrom !== undefined) query = query.where("job.ended_at", ">=", endTimeFrom);
  if (endTimeTo !== undefined) query = query.where("job.ended_at", "<", endTimeTo);
  const rows = await query
    .orderBy("job.created_seq")
    .offset(offset)
    .limit(limit + 1)
    .execute();
  return page(rows, limit, toAttempt);
}

const isLive = sql<boolean>`job.status in ('PENDING', 'RUNNING')`;
/** What may still need recovery. */
const isEligible = sql<boolean>`job.status in ('PENDING', 'RUNNING', 'FAILED', 'STOPPED') and job.jm_state not in ('COMPLETED', 'REQUEUED')`;

export async function listJobsBySchedulerId(
  db: Db,
  jobId: string,
  { offset, limit }: Slice,
): Promise<Page<AttemptRecord>> {
  if (jobId === "") return { rows: [], hasMore: false };
  const rows = await selectJobs(db)
    .where("job.job_id", "=", jobId)
    .orderBy("job.cluster")
    .orderBy("job.incarnation")
    .orderBy("job.attempt_index")
    .offset(offset)
    .limit(limit + 1)
    .execute();
  return page(rows, limit, toAttempt);
}

interface WorkflowRow {
  readonly workflow_id: string;
  readonly name: string | null;
  readonly start_at: number | null;
  readonly end_at: number | null;
}

export async function listWorkflows(db: Db, { offset, limit }: Slice): Promise<Page<WorkflowRecord>> {
  const { rows } = await workflows(sql`order by created_seq offset ${offset} limit ${limit + 1}`).execute(db);
  return page(rows, limit, toWorkflow);
}

export async function getWorkflow(db: Db, workflowId: string): Promise<WorkflowRecord | undefined> {
  const { rows } = await workflows(sql`where workflow_id = ${workflowId}`).execute(db);
  return rows[0] && toWorkflow(rows[0]);
}

/** A workflow has ended when the latest attempt of each of its jobs has. */
const workflows = (which: ReturnType<typeof sql>) => sql<WorkflowRow>`
  select w.workflow_id, w.name, jobs.start_at, jobs.end_at
  from (select workflow_id, name, created_seq from workflow ${which}) w
  left join lateral (
    select min(started_at) as start_at,
      case when bool_or(status in ('PENDING', 'RUNNING')) then null else max(ended_at) end as end_at
    from job where job.workflow_id = w.workflow_id
  ) jobs on true
  order by w.created_seq`;

const toWorkflow = ({ workflow_id, name, start_at, end_at }: WorkflowRow): WorkflowRecord => ({
  workflowId: workflow_id,
  ...present({ name, startAt: start_at, endAt: end_at }),
});
