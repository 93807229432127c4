/**
 * now-store: how jobs stand now: scheduler jobs by their newest attempt, listed and counted.
 *
 * Writes   nothing.
 * Keeps    the word for how a job stands is said in SQL where it selects, and by `jobStandingOf` in memory; the suites compare the two.
 * Bound    `limit` jobs, each with a few lookups by key; a filter that few jobs pass reads past the others in the order of creation.
 */
import { sql } from "kysely";
import type { JobStanding } from "@reprise/core/now/job-standing.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { JobCounts, LeaseRecord, StandingFilter, StandingRecord } from "../../now-store.ts";
import type { Page } from "../../store.ts";
import { adviceOf } from "./advice-store.ts";
import { decisionsOf } from "./decision-store.ts";
import { isKin } from "./figures-store.ts";
import { isFinal, isLive } from "./list-jobs.ts";
import { progressOf } from "./progress-store.ts";
import type { Db, Tx } from "./schema.ts";
import { selectJobs, toAttempt } from "./select-jobs.ts";
import { present } from "./storable.ts";

const isCovered = sql`job.coverage ->> 'kind' = 'covered'`;
/** As `latestAttempt` says it. */
const isNewest = sql`not exists (
    select from job j where ${isKin("job")} and j.attempt_index > job.attempt_index
      and (j.status <> 'DELETED' or job.status = 'DELETED' or job.jm_state = 'REQUEUED'))
  and (job.status <> 'DELETED' or coalesce((
    select j.jm_state from job j where ${isKin("job")} and j.status <> 'DELETED'
    order by j.attempt_index desc limit 1), 'REQUEUED') = 'REQUEUED')`;
/** Of a row `job`, the newest of its job: row `j` is that one, or comes before it. */
const isUpToIt = sql`(j.heimdall_job_id = job.heimdall_job_id or (${isKin("job")} and j.attempt_index < job.attempt_index))`;

/** Of the same row: Advice about such an attempt is being carried out. */
const isRecovering = (now: Instant) => sql`exists (
  select from job j join advice_head h using (heimdall_job_id) join advice a using (heimdall_job_id, generation)
  where ${isUpToIt}
    and h.disposition = 'PENDING' and h.reason <> 'OBSERVE_MODE' and a.withdrawn_at is null and a.expires_at > ${now}::bigint)`;

const wasEnded = sql`exists (
  select from advice_head h join advice a using (heimdall_job_id, generation)
  where h.heimdall_job_id = job.heimdall_job_id and h.disposition = 'CONVERGED' and a.desired = 'TERMINATED')`;

/** As `isUndecided` of the memory body. */
const isUndecided = sql`(
  exists (select from facts f where f.heimdall_job_id = job.heimdall_job_id and f.seq > f.decided_seq)
  or exists (select from decision d where d.heimdall_job_id = job.heimdall_job_id
    and d.decision ->> 'because' = 'scheduler-unseen'))`;

/** As `jobStandingOf` says it. */
const standing = (now: Instant) => sql<JobStanding>`case
  when not (${isCovered}) then 'not-covered'
  when ${isRecovering(now)} then 'recovering'
  when job.status = 'RUNNING' then 'running'
  when job.status = 'PENDING' or job.jm_state = 'REQUEUED' then 'waiting'
  when not (job.status in ('FAILED', 'STOPPED') or (job.status = 'CANCELLED' and ${wasEnded})) then 'ended'
  when ${isUndecided} then 'deciding'
  else 'stopped' end`;

/** What an index can leave out before the word is made. */
function couldBe(asked: JobStanding | undefined) {
  switch (asked) {
    case "running":
    case "waiting":
      return sql`(${isLive} or job.jm_state = 'REQUEUED')`;
    case "deciding":
    case "stopped":
    case "ended":
      return isFinal;
    case "recovering":
      return sql`job.job_id in (
        select j.job_id from advice_head h join job j using (heimdall_job_id) where h.disposition = 'PENDING')`;
    default:
      return sql`true`;
  }
}

interface Row {
  readonly uuid: string;
  readonly created_seq: number;
  readonly standing: JobStanding;
  readonly advised: string | null;
}

/** In a transaction of one snapshot. */
export async function listStandings(
  tx: Tx,
  filter: StandingFilter,
  { before, limit }: { readonly before?: number; readonly limit: number },
  now: Instant,
): Promise<Page<StandingRecord>> {
  const { cluster, workflowId, search, standing: asked, endedFrom } = filter;
  const { rows } = await sql<Row>`
    select job.heimdall_job_id as uuid, job.created_seq, ${standing(now)} as standing,
      (select h.heimdall_job_id from job j join advice_head h using (heimdall_job_id)
        where ${isUpToIt}
        order by j.attempt_index desc limit 1) as advised
    from job
    where job.cluster = ${cluster} and ${before === undefined ? sql`true` : sql`job.created_seq < ${before}`}
      and ${workflowId === undefined ? sql`true` : sql`job.workflow_id = ${workflowId}`}
      and ${search === undefined ? sql`true` : sql`(starts_with(job.job_id, ${search}) or starts_with(job.job_name, ${search}))`}
      and ${endedFrom === undefined ? sql`true` : sql`(not (${isFinal}) or job.ended_at >= ${endedFrom}::bigint)`}
      and ${isNewest} and ${couldBe(asked)} and ${asked === undefined ? sql`true` : sql`${standing(now)} = ${asked}`}
    order by job.created_seq desc limit ${limit + 1}`.execute(tx);
  return { rows: await withWhatIsKnown(tx, rows.slice(0, limit)), hasMore: rows.length > limit };
}

async function withWhatIsKnown(tx: Tx, rows: readonly Row[]): Promise<readonly StandingRecord[]> {
  if (rows.length === 0) return [];
  const uuids = rows.map(({ uuid }) => uuid);
  const jobs = await selectJobs(tx).where("job.heimdall_job_id", "in", uuids).execute();
  const attempts = new Map(jobs.map((job) => [job.heimdall_job_id, toAttempt(job)]));
  const [progress, decisions] = [await progressOf(tx, uuids), await decisionsOf(tx, uuids)];
  const advice = await adviceOf(
    tx,
    rows.flatMap(({ advised }) => advised ?? []),
  );
  return rows.flatMap(({ uuid, created_seq: createdSeq, standing: word, advised }) => {
    const attempt = attempts.get(uuid);
    if (attempt === undefined) return [];
    const { lastStep, lastStepAt } = progress.get(uuid) ?? {};
    return [
      {
        attempt,
        standing: word,
        lastStep: present({ lastStep, lastStepAt }),
        ...present({ decision: decisions.get(uuid), advice: advice.get(advised ?? "") }),
        createdSeq,
      },
    ];
  });
}

export async function countJobs(db: Db, cluster: string, endedFrom: Instant, now: Instant): Promise<JobCounts> {
  const { rows } = await sql<JobCounts>`
    with one as (
      select ${standing(now)} as standing, ${isFinal} as is_final, job.status = 'RUNNING' and ${isCovered} as runs,
        job.heimdall_job_id as uuid
      from job
      where job.cluster = ${cluster} and (not (${isFinal}) or job.ended_at >= ${endedFrom}::bigint) and ${isNewest}
    )
    select count(*) filter (where runs) as running,
      count(*) filter (where runs and exists (
        select from target_lease t where t.heimdall_job_id = uuid and t.expires_at > ${now}::bigint)) as watched,
      count(*) filter (where runs and exists (
        select from log_position p where p.heimdall_job_id = uuid and p.unreadable is not null)) as unreadable,
      count(*) filter (where standing = 'waiting') as waiting,
      count(*) filter (where standing = 'recovering') as recovering,
      count(*) filter (where standing = 'deciding') as deciding,
      count(*) filter (where standing = 'stopped') as stopped,
      count(*) filter (where standing = 'not-covered' and not is_final) as "notCovered"
    from one`.execute(db);
  const counts = rows[0];
  if (counts === undefined) throw new Error(`jobs of ${cluster}: the statement gave no row`);
  return counts;
}

export async function leaseOf(db: Db, cluster: string): Promise<LeaseRecord | undefined> {
  return await db
    .selectFrom("lease")
    .select(["holder", "term", "expires_at as expiresAt"])
    .where("cluster", "=", cluster)
    .executeTakeFirst();
}
