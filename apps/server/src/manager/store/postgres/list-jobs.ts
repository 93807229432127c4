/**
 * list-jobs: `GET /v1/jobs`: attempts in the order of creation, by offset.
 *
 * Keeps   an offset is a *place*, and no place is ever given twice: what is written during a walk comes behind it or keeps its place.
 *         Of everything: `created_seq`, of which none is skipped. Of some workflows or job IDs: the attempts that are or were in them,
 *         in the order in which they came (`attempt/place.ts`). Who has left, or has gone for his age, is counted and not shown, so
 *         that a page may be short.
 *         A filter on states that change cannot promise that.
 * Bound   a page of everything costs the same at every offset; one of a workflow reads the index entries of that workflow up to it.
 */
import { sql, type RawBuilder } from "kysely";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import type { JobFilter, Page, Slice } from "../../store.ts";
import { windowOf } from "../attempt/window.ts";
import { page } from "./job-query.ts";
import type { Db } from "./schema.ts";
import { selectJobs, toAttempt } from "./select-jobs.ts";

export async function listJobs(db: Db, filter: JobFilter, slice: Slice): Promise<Page<AttemptRecord>> {
  const { workflowIds = [], jobIds = [], reconciliationEligible, ...states } = filter;
  const isByState = reconciliationEligible === true || Object.values(states).some((state) => state !== undefined);
  if (isByState) return await listByState(db, filter, slice);
  if (workflowIds.length > 0 || jobIds.length > 0) return await listByPlace(db, { workflowIds, jobIds }, slice);
  const rows = await selectJobs(db)
    .where("job.created_seq", ">", slice.offset)
    .orderBy("job.created_seq")
    .limit(slice.limit + 1)
    .execute();
  return windowOf(rows, slice, (row) => row.created_seq, toAttempt);
}

type Lists = Required<Pick<JobFilter, "workflowIds" | "jobIds">>;

async function listByPlace(db: Db, lists: Lists, { offset, limit }: Slice): Promise<Page<AttemptRecord>> {
  const { workflowIds, jobIds } = lists;
  const { rows: places } = await sql<{ uuid: string }>`
    select uuid from (
      select heimdall_job_id as uuid, created_seq, 0 as late_seq from job
      where not has_moved and ${among("workflow_id", workflowIds)} and ${among("job_id", jobIds)} and ${named(jobIds)}
      union all
      select uuid, place[1], place[2] from (${movedPlaces(lists)}) moved
    ) places
    order by created_seq, late_seq offset ${offset} limit ${limit + 1}`.execute(db);
  const uuids = places.slice(0, limit).map(({ uuid }) => uuid);
  const found = uuids.length === 0 ? [] : await selectJobs(db).where("job.heimdall_job_id", "in", uuids).execute();
  const isIn = (values: readonly string[], value: string) => values.length === 0 || values.includes(value);
  const shown = found.filter((row) => isIn(workflowIds, row.workflow_id) && isIn(jobIds, row.job_id));
  const attemptOf = new Map(shown.map((row) => [row.heimdall_job_id, toAttempt(row)]));
  return { rows: uuids.flatMap((uuid) => attemptOf.get(uuid) ?? []), hasMore: places.length > limit };
}

/** In a listing of several workflows the first place counts; in one of workflows and job IDs, when it was in both. */
function movedPlaces({ workflowIds, jobIds }: Lists): RawBuilder<unknown> {
  const of = (list: "workflow" | "job", values: readonly string[]) => sql`
    select heimdall_job_id as uuid, min(array[created_seq, late_seq]) as place from listing_place
    where list = ${sql.lit(list)} and ${among("value", values)} group by heimdall_job_id`;
  if (jobIds.length === 0) return of("workflow", workflowIds);
  if (workflowIds.length === 0) return of("job", jobIds);
  return sql`
    select w.uuid, greatest(w.place, j.place) as place
    from (${of("workflow", workflowIds)}) w join (${of("job", jobIds)}) j on j.uuid = w.uuid`;
}

/** One value is asked for by `=`: then the index gives the order too. */
function among(column: string, values: readonly string[]): RawBuilder<boolean> {
  const [value, ...more] = values;
  if (value === undefined) return sql<boolean>`true`;
  if (more.length === 0) return sql<boolean>`${sql.ref(column)} = ${value}`;
  return sql<boolean>`${sql.ref(column)} = any(${[...values]}::text[])`;
}

/** A publisher may know nothing but its UUID: no job ID is no job's ID. */
const named = (jobIds: readonly string[]) => (jobIds.length === 0 ? sql`true` : sql`job_id <> ''`);

async function listByState(db: Db, filter: JobFilter, { offset, limit }: Slice): Promise<Page<AttemptRecord>> {
  let query = db.selectFrom("job").select("heimdall_job_id");
  const { workflowIds = [], jobIds = [], jmState, completed, endTimeFrom, endTimeTo } = filter;
  if (workflowIds.length > 0) query = query.where("job.workflow_id", "in", [...workflowIds]);
  if (jobIds.length > 0) query = query.where("job.job_id", "in", [...jobIds]).where("job.job_id", "<>", "");
  if (jmState !== undefined) query = query.where(sql<boolean>`job.jm_state = ${jmState}`);
  if (filter.reconciliationEligible === true) query = query.where(isEligible);
  if (completed !== undefined) query = query.where(completed ? isFinal : isLive);
  if (endTimeFrom !== undefined) query = query.where("job.ended_at", ">=", endTimeFrom);
  if (endTimeTo !== undefined) query = query.where("job.ended_at", "<", endTimeTo);
  // What lies before the offset is read from an index; only the page itself is read whole.
  const found = query
    .orderBy("job.created_seq")
    .offset(offset)
    .limit(limit + 1);
  const rows = await selectJobs(db).where("job.heimdall_job_id", "in", found).orderBy("job.created_seq").execute();
  return page(rows, limit, toAttempt);
}

export const isLive = sql<boolean>`job.status in ('PENDING', 'RUNNING')`;
export const isFinal = sql<boolean>`job.status not in ('PENDING', 'RUNNING')`;
/** What may still need recovery. */
const isEligible = sql<boolean>`(job.status in ('PENDING', 'RUNNING', 'FAILED', 'STOPPED') and job.jm_state not in ('COMPLETED', 'REQUEUED'))`;
