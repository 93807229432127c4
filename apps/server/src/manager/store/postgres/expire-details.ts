/**
 * expire-details: old jobs lose their details; and when a job is old.
 *
 * Writes   deletes rows of `signal`, `log_position`, `course`, `target_lease`, `decision`, `advice_decision`, `advice_status`, `step`,
 *          `recovery_sequence`, `recovery_milestone` and `recovery_trace`; marks `job.detail_expired`, so that a batch never sees the same job twice.
 * Keeps    two replicas take different batches (`skip locked`), and neither waits for a report.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import { isAmong } from "./prepared.ts";
import type { Tx } from "./schema.ts";

export async function expireDetails(tx: Tx, before: Instant, limit: number): Promise<number> {
  const { rows } = await sql<{ uuid: string }>`
    update job set detail_expired = true where heimdall_job_id in (
      select heimdall_job_id from job old
      where detail_expired is null and ${isOldJob(before)}
      order by last_seen_at, heimdall_job_id limit ${limit} for update skip locked)
    returning heimdall_job_id as uuid`.execute(tx);
  const uuids = rows.map(({ uuid }) => uuid);
  await deleteDetails(tx, uuids);
  return uuids.length;
}

/** Of two rows of `job`: they are attempts of one incarnation. One that only has a UUID is alone. */
export const isKin = sql<boolean>`kin.job_id = old.job_id and kin.cluster = old.cluster and kin.incarnation = old.incarnation
  and (old.job_id <> '' or kin.heimdall_job_id = old.heimdall_job_id)`;

/** Of a row `old` of `job`: its job is at rest, and none of its attempts was seen lately. */
export const isOldJob = (before: Instant) => sql<boolean>`
  not old.is_listed and old.status not in ('PENDING', 'RUNNING') and old.last_seen_at < ${before}::bigint and not exists (
    select from job kin
      left join facts using (heimdall_job_id)
      left join advice_head head using (heimdall_job_id)
    where ${isKin} and (kin.status in ('PENDING', 'RUNNING') or kin.is_listed or kin.last_seen_at >= ${before}::bigint
      or facts.seq > facts.decided_seq or facts.reconsider_at is not null or head.disposition = 'PENDING'))`;

export async function deleteDetails(tx: Tx, uuids: readonly string[]): Promise<void> {
  if (uuids.length === 0) return;
  const sequences = tx.selectFrom("recovery_sequence").select("sequence_id").where(isAmong("heimdall_job_id", uuids));
  for (const table of ["recovery_milestone", "recovery_trace"] as const)
    await tx.deleteFrom(table).where("sequence_id", "in", sequences).execute();
  for (const table of details) await tx.deleteFrom(table).where(isAmong("heimdall_job_id", uuids)).execute();
}

const details = [
  "recovery_sequence",
  "signal",
  "log_position",
  "course",
  "target_lease",
  "decision",
  "advice_decision",
  "advice_status",
  "step",
] as const;
