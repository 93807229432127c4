/**
 * sequence-store: recoveries by their names, and the milestones of each.
 *
 * Writes   `recovery_sequence`, with the first Advice of its operation; `recovery_milestone`. Rows of neither are ever changed.
 * Keeps    one sequence for each attempt and operation; one milestone for each idempotency key of a sequence, however many
 *          report it at once (the sequence is locked).
 */
import { sql } from "kysely";
import type { DesiredState, Instant } from "@reprise/core/nouns.ts";
import { operationOf, sequenceIdOf, type RecoveryOperation } from "@reprise/core/sequence/sequence.ts";
import {
  knownMilestone,
  type Milestone,
  type RecoverySequence,
  type SequenceName,
} from "../../sequence/recovery-sequence.ts";
import { ahead } from "./ahead.ts";
import { hot } from "./prepared.ts";
import type { Db, Tx } from "./schema.ts";
import { present, storable } from "./storable.ts";

/** Part of the transaction that records the Advice. One that has begun goes on. */
export async function beginSequences(
  tx: Tx,
  advised: readonly { readonly heimdallJobId: string; readonly desired: DesiredState }[],
  now: Instant,
): Promise<void> {
  const operations = advised.map(({ desired }) => operationOf(desired));
  const ids = advised.map(({ heimdallJobId }, i) => sequenceIdOf(heimdallJobId, operations[i]!));
  await sql`${ahead}${hot}
    insert into recovery_sequence (sequence_id, heimdall_job_id, operation, started_at)
    select s.id, s.uuid, s.operation, ${now}::bigint
    from unnest(${ids}::text[], ${advised.map((one) => one.heimdallJobId)}::text[], ${operations}::text[]) as s (id, uuid, operation)
    on conflict do nothing`.execute(tx);
}

export async function getSequence(
  db: Db,
  { cluster, jobId, attemptIndex, operation }: SequenceName,
): Promise<RecoverySequence | undefined> {
  const row = await db
    .selectFrom("recovery_sequence as sequence")
    .innerJoin("job", "job.heimdall_job_id", "sequence.heimdall_job_id")
    .select("sequence.sequence_id")
    .where("job.job_id", "=", jobId)
    .where("job.cluster", "=", cluster)
    .where("job.attempt_index", "=", attemptIndex)
    .where("sequence.operation", "=", operation)
    .orderBy("job.incarnation", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && (await sequenceById(db, row.sequence_id));
}

async function sequenceById(db: Db, sequenceId: string): Promise<RecoverySequence | undefined> {
  const row = await db
    .selectFrom("recovery_sequence")
    .selectAll()
    .where("sequence_id", "=", sequenceId)
    .executeTakeFirst();
  return row && (await withMilestones(db, [row]))[0];
}

export async function sequencesOf(db: Db, heimdallJobIds: readonly string[]): Promise<readonly RecoverySequence[]> {
  if (heimdallJobIds.length === 0) return [];
  const rows = await db
    .selectFrom("recovery_sequence")
    .selectAll()
    .where("heimdall_job_id", "in", [...heimdallJobIds])
    .orderBy("heimdall_job_id")
    .orderBy("started_at")
    .orderBy("sequence_id")
    .execute();
  return await withMilestones(db, rows);
}

interface Row {
  readonly sequence_id: string;
  readonly heimdall_job_id: string;
  readonly operation: RecoveryOperation;
  readonly started_at: Instant;
}

async function withMilestones(db: Db, rows: readonly Row[]): Promise<RecoverySequence[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.sequence_id);
  const milestones = await db
    .selectFrom("recovery_milestone")
    .selectAll()
    .where("sequence_id", "in", ids)
    .orderBy("completed_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    sequenceId: row.sequence_id,
    heimdallJobId: row.heimdall_job_id,
    operation: row.operation,
    startedAt: row.started_at,
    milestones: milestones
      .filter((milestone) => milestone.sequence_id === row.sequence_id)
      .map(({ idempotency_key: idempotencyKey, action, completed_at: completedAt, outcome }) => ({
        idempotencyKey,
        action,
        completedAt,
        ...present({ outcome }),
      })),
  }));
}

export async function recordMilestone(
  tx: Tx,
  givenId: string,
  operation: RecoveryOperation,
  given: Milestone,
): Promise<Milestone> {
  const [sequenceId, milestone] = [givenId.toLowerCase(), storable(given)];
  await sql`select from recovery_sequence where sequence_id = ${sequenceId} for update`.execute(tx);
  const known = knownMilestone(await sequenceById(tx, sequenceId), sequenceId, operation, milestone);
  if (known !== undefined) return known;
  const { idempotencyKey, action, completedAt, outcome = null } = milestone;
  await tx
    .insertInto("recovery_milestone")
    .values({
      sequence_id: sequenceId,
      idempotency_key: idempotencyKey,
      action,
      completed_at: completedAt,
      outcome,
    })
    .execute();
  return milestone;
}
