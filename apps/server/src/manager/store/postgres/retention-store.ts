/**
 * retention-store: what is too old goes, in batches. See `manager/retention/retention.ts`.
 *
 * Writes   deletes rows of `signal`, `log_position`, `target_lease`, `decision`, `advice_decision`, `advice_status`, `step`,
 *          `recovery_sequence`, `recovery_milestone`, `audit` and `node_line`; marks `job.detail_expired`, so that a batch never sees the same job
 *          twice.
 * Keeps    two replicas take different batches (`skip locked`), and neither waits for a report.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Expired, Expiry } from "../../retention/retention.ts";
import type { Tx } from "./schema.ts";

export async function expire(tx: Tx, { detailsBefore, auditBefore, nodeLinesBefore, limit }: Expiry): Promise<Expired> {
  if (nodeLinesBefore !== undefined)
    await tx.deleteFrom("node_line").where("recorded_at", "<", nodeLinesBefore).execute();
  const attempts = detailsBefore === undefined ? 0 : await expireDetails(tx, detailsBefore, limit);
  const auditEvents = auditBefore === undefined ? 0 : await expireAudit(tx, auditBefore, limit);
  return { attempts, auditEvents };
}

async function expireDetails(tx: Tx, before: Instant, limit: number): Promise<number> {
  const { rows } = await sql<{ uuid: string }>`
    update job set detail_expired = true where heimdall_job_id in (
      select heimdall_job_id from job old
      where detail_expired is null and not is_listed and status not in ('PENDING', 'RUNNING') and last_seen_at < ${before}
        and not exists (
          select from job kin
            left join facts using (heimdall_job_id)
            left join advice_head head using (heimdall_job_id)
          where kin.job_id = old.job_id and kin.cluster = old.cluster and kin.incarnation = old.incarnation
            and (old.job_id <> '' or kin.heimdall_job_id = old.heimdall_job_id)
            and (kin.status in ('PENDING', 'RUNNING') or kin.is_listed or kin.last_seen_at >= ${before}
              or facts.seq > facts.decided_seq or facts.reconsider_at is not null or head.disposition = 'PENDING'))
      order by last_seen_at, heimdall_job_id limit ${limit} for update skip locked)
    returning heimdall_job_id as uuid`.execute(tx);
  const uuids = rows.map(({ uuid }) => uuid);
  if (uuids.length === 0) return 0;
  const milestones = tx
    .selectFrom("recovery_sequence")
    .select("sequence_id")
    .where(sql<boolean>`heimdall_job_id = any(${uuids}::text[])`);
  await tx.deleteFrom("recovery_milestone").where("sequence_id", "in", milestones).execute();
  for (const table of details)
    await tx.deleteFrom(table).where(sql<boolean>`heimdall_job_id = any(${uuids}::text[])`).execute();
  return uuids.length;
}

const details = [
  "recovery_sequence",
  "signal",
  "log_position",
  "target_lease",
  "decision",
  "advice_decision",
  "advice_status",
  "step",
] as const;

async function expireAudit(tx: Tx, before: Instant, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit where id in (
      select id from audit where produced_at_us < ${before * 1000}::bigint
      order by produced_at_us, id limit ${limit} for update skip locked)`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
