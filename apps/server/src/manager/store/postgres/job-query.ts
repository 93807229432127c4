/**
 * job-query: attempts and workflows, as people and programs ask for them.
 *
 * Keeps   workflows are in the order of creation, which is the order of commit and skips no number (`job-rows`): an offset is a place
 *         in it, also where nobody is left there, and a walk neither skips nor repeats one. The attempts of a scheduler job are in the
 *         order of their index, where a late report may come between.
 */
import { sql } from "kysely";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import type { Page, Slice, WorkflowRecord } from "../../store.ts";
import { windowOf } from "../attempt/window.ts";
import { selectJob, selectJobs, toAttempt } from "./select-jobs.ts";
import type { Db } from "./schema.ts";
import { present } from "./storable.ts";

/** @param rows One more than asked for, where there is one. */
export function page<Row, T>(rows: readonly Row[], limit: number, read: (row: Row) => T): Page<T> {
  return { rows: rows.slice(0, limit).map(read), hasMore: rows.length > limit };
}

export async function getJobByUuid(db: Db, heimdallJobId: string): Promise<AttemptRecord | undefined> {
  const { rows } = await selectJob(sql`job.heimdall_job_id = ${heimdallJobId.toLowerCase()}`).execute(db);
  return rows[0] && toAttempt(rows[0]);
}

export async function getJobByAttempt(
  db: Db,
  cluster: string,
  jobId: string,
  attemptIndex: number,
): Promise<AttemptRecord | undefined> {
  if (jobId === "") return undefined;
  const { rows } = await selectJob(sql`
    job.job_id = ${jobId} and job.cluster = ${cluster} and job.attempt_index = ${attemptIndex} and job.incarnation = (
      select max(incarnation) from job newest where newest.job_id = job.job_id and newest.cluster = job.cluster)`).execute(
    db,
  );
  return rows[0] && toAttempt(rows[0]);
}

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
  readonly created_seq: number;
  readonly name: string | null;
  readonly start_at: number | null;
  readonly end_at: number | null;
}

export async function listWorkflows(db: Db, slice: Slice): Promise<Page<WorkflowRecord>> {
  const which = sql`where created_seq > ${slice.offset} order by created_seq limit ${slice.limit + 1}`;
  const { rows } = await workflows(which).execute(db);
  return windowOf(rows, slice, (row) => row.created_seq, toWorkflow);
}

export async function getWorkflow(db: Db, workflowId: string): Promise<WorkflowRecord | undefined> {
  const { rows } = await workflows(sql`where workflow_id = ${workflowId}`).execute(db);
  return rows[0] && toWorkflow(rows[0]);
}

/** A workflow has ended when the latest attempt of each of its jobs has. */
const workflows = (which: ReturnType<typeof sql>) => sql<WorkflowRow>`
  select w.workflow_id, w.created_seq, w.name, jobs.start_at, jobs.end_at
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
