/**
 * select-jobs: the table `job`, read: as the store works on it (`JobRow`), and as it leaves the store (`AttemptRecord`).
 */
import { sql, type RawBuilder, type Selectable } from "kysely";
import type { AttemptRecord, Instant } from "@reprise/core/nouns.ts";
import type { JobRow } from "../attempt/job-row.ts";
import { hot, isAmong } from "./prepared.ts";
import type { Db, JobTable } from "./schema.ts";
import { present } from "./storable.ts";

/** Every column, and `seen_at`: a listed attempt was last seen by the last complete pass. */
export function selectJobs(db: Db) {
  return db
    .selectFrom("job")
    .leftJoin("pass", (join) => join.onRef("pass.cluster", "=", "job.cluster").on("job.is_listed", "=", true))
    .selectAll("job")
    .select(sql<Instant>`greatest(job.last_seen_at, pass.complete_at)`.as("seen_at"));
}

/** One attempt, as `selectJobs` has it, but with its text ready: building it would be a good part of the cost of a lookup. */
export const selectJob = (which: RawBuilder<unknown>) => sql<SelectedJob>`${hot}
  select job.*, greatest(job.last_seen_at, pass.complete_at) as seen_at
  from job left join pass on pass.cluster = job.cluster and job.is_listed
  where ${which}`;

export type SelectedJob = Selectable<JobTable> & { readonly seen_at: Instant };

/** Of each of these attempts that is known: all of its incarnation, itself among them, oldest first. */
export async function incarnationsOf(
  db: Db,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, readonly AttemptRecord[]>> {
  const { rows } = await sql<SelectedJob>`${hot}
    with source as materialized (
      select heimdall_job_id, job_id, cluster, incarnation from job where ${isAmong("heimdall_job_id", uuids)}
    ), member as (
      select heimdall_job_id from source
      union select kin.heimdall_job_id from source join job kin on source.job_id <> '' and kin.job_id = source.job_id
        and kin.cluster = source.cluster and kin.incarnation = source.incarnation
    )
    select job.*, greatest(job.last_seen_at, pass.complete_at) as seen_at
    from member join job using (heimdall_job_id) left join pass on pass.cluster = job.cluster and job.is_listed
    order by job.attempt_index`.execute(db);
  const attempts = rows.map(toAttempt);
  const byIncarnation = Map.groupBy(attempts, incarnationOf);
  const incarnations = attempts.map((one) => [one.heimdallJobId, byIncarnation.get(incarnationOf(one)) ?? []] as const);
  return new Map(incarnations);
}

/** An attempt that only has a UUID is alone. */
const incarnationOf = ({ heimdallJobId, cluster, jobId, incarnation }: AttemptRecord): string =>
  jobId === "" ? heimdallJobId : `${cluster} ${incarnation} ${jobId}`;

/** The attempts of the job that has this ID now, oldest first. */
export async function newestIncarnation(db: Db, cluster: string, jobId: string): Promise<AttemptRecord[]> {
  if (jobId === "") return [];
  const rows = await selectJobs(db)
    .where("job.job_id", "=", jobId)
    .where("job.cluster", "=", cluster)
    .where(sql<boolean>`job.incarnation = (
      select max(incarnation) from job newest where newest.job_id = job.job_id and newest.cluster = job.cluster)`)
    .orderBy("job.attempt_index")
    .execute();
  return rows.map(toAttempt);
}

export async function familiesOf(
  db: Db,
  cluster: string,
  jobIds: readonly string[],
  uuids: readonly string[],
): Promise<JobRow[]> {
  const rows = await selectJobs(db)
    .modifyFront(hot)
    .where(sql<boolean>`(job.cluster = ${cluster} and job.job_id <> '' and job.job_id = any(${[...jobIds]}::text[]))
      or job.heimdall_job_id = any(${[...uuids]}::text[])`)
    .execute();
  return rows.map(toJobRow);
}

/** What leaves the store. */
export function toAttempt(row: SelectedJob): AttemptRecord {
  return {
    heimdallJobId: row.heimdall_job_id,
    cluster: row.cluster,
    jobId: row.job_id,
    attemptIndex: row.attempt_index,
    incarnation: row.incarnation,
    workflowId: row.workflow_id,
    nodes: row.nodes,
    nodeConstraints: row.node_constraints,
    status: row.status,
    jmState: row.jm_state,
    schedulerMetadata: row.scheduler_metadata,
    coverage: row.coverage,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastSeenAt: row.seen_at,
    ...present({
      jobName: row.job_name,
      gpuCountPerNode: row.gpu_count_per_node,
      additionalProperties: row.additional_properties,
      recoveryConfig: row.recovery_config,
      startedAt: row.started_at,
      endedAt: row.ended_at,
    }),
  };
}

export function toJobRow(row: SelectedJob): JobRow {
  return {
    ...toAttempt(row),
    createdSeq: row.created_seq,
    isListed: row.is_listed,
    ...present({
      incarnationSubmitAt: row.incarnation_submit_at,
      submitAt: row.submit_at,
      user: row.user_name,
      command: row.command,
      sluid: row.sluid,
    }),
  };
}
