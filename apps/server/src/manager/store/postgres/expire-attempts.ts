/**
 * expire-attempts: old attempts go, all of a job at once, and leave nothing but their places in listings.
 *
 * Writes   deletes rows of `job`, of everything that is kept by attempt but its audit events, and of `workflow` where nobody is left;
 *          puts `listing_place` in their stead.
 * Keeps    what a job that waits may ask for, and what is evidence against a node. The newest attempt and the newest workflow: the next
 *          place is counted from them. Every other place, empty: `listing_place` has it under its number instead of a UUID, since a
 *          job ID that Slurm gives again may come with the same UUID.
 * Bound    a batch holds the lock of all who write attempts: it is as short as it is small.
 * Source   docs/decisions/0018, 0027.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import { deleteDetails, isKin, isOldJob } from "./expire-details.ts";
import { lockFacts } from "./facts-store.ts";
import { graphMembers } from "./graph-store.ts";
import { lockJobs } from "./job-rows.ts";
import { isAmong } from "./prepared.ts";
import type { Tx } from "./schema.ts";

export async function expireAttempts(tx: Tx, before: Instant, limit: number): Promise<number> {
  await lockJobs(tx);
  const chosen = await removable(tx, before, limit);
  if (chosen.length === 0) return 0;
  await lockFacts(tx, chosen);
  // What was reported of them in the meantime made them undecided.
  const uuids = await removable(tx, before, limit, chosen);
  if (uuids.length === 0) return 0;
  await deleteDetails(tx, uuids);
  for (const table of ["advice", "advice_head", "progress", "facts"] as const)
    await tx.deleteFrom(table).where(isAmong("heimdall_job_id", uuids)).execute();
  await keepPlaces(tx, uuids);
  // Evidence that has expired, and orders of people, go with their attempts.
  const { rows } = await sql<{ workflow: string }>`
    delete from job where ${isAmong("heimdall_job_id", uuids)} returning workflow_id as workflow`.execute(tx);
  await deleteEmptyWorkflows(tx, [...new Set(rows.map(({ workflow }) => workflow))]);
  return uuids.length;
}

/** Of the oldest jobs, all attempts. @param among Only of these attempts. */
async function removable(
  tx: Tx,
  before: Instant,
  limit: number,
  among?: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await sql<{ uuid: string }>`
    with ${graphMembers}, oldest as (
      select * from job old
      where ${among === undefined ? sql`true` : isAmong("heimdall_job_id", among)} and ${isOldJob(before)} and not exists (
        select from job kin where ${isKin} and (kin.created_seq = (select max(created_seq) from job)
          or kin.heimdall_job_id in (select heimdall_job_id from members)
          or exists (select from node_evidence entry
            where entry.heimdall_job_id = kin.heimdall_job_id and entry.expires_at >= ${before}::bigint)))
      order by last_seen_at, heimdall_job_id limit ${limit}
    )
    select distinct kin.heimdall_job_id as uuid from oldest old join job kin on ${isKin} order by 1`.execute(tx);
  return rows.map(({ uuid }) => uuid);
}

const nameless = sql`'gone-' || job.created_seq`;

async function keepPlaces(tx: Tx, uuids: readonly string[]): Promise<void> {
  const isGone = sql<boolean>`job.heimdall_job_id = any(${[...uuids]}::text[])`;
  await sql`
    update listing_place place set heimdall_job_id = ${nameless} from job
    where job.heimdall_job_id = place.heimdall_job_id and job.has_moved and ${isGone}`.execute(tx);
  await sql`
    insert into listing_place (list, value, heimdall_job_id, created_seq, late_seq)
    select listing.list, listing.value, ${nameless}, job.created_seq, 0
    from job cross join lateral (values ('workflow', job.workflow_id), ('job', job.job_id)) as listing (list, value)
    where not job.has_moved and listing.value <> '' and ${isGone}`.execute(tx);
}

async function deleteEmptyWorkflows(tx: Tx, workflowIds: readonly string[]): Promise<void> {
  await sql`
    delete from workflow where ${isAmong("workflow_id", workflowIds)}
      and created_seq < (select max(created_seq) from workflow)
      and not exists (select from job where job.workflow_id = workflow.workflow_id)`.execute(tx);
}
