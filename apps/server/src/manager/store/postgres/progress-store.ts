/**
 * progress-store: how far each training came.
 *
 * Writes   table `progress`, one row an attempt, folded from signals that are kept nowhere else, and from log positions.
 * Keeps    under the lock of the attempt's facts, so that no fold is lost.
 */
import { sql, type Selectable } from "kysely";
import type { Progress } from "@reprise/core/nouns.ts";
import type { ProgressRow } from "./fold-progress.ts";
import { hot, isAmong } from "./prepared.ts";
import type { Db, Tx } from "./schema.ts";
import { json, present } from "./storable.ts";
import type { ProgressTable } from "./watching-schema.ts";

export async function progressOf(db: Db, uuids: readonly string[]): Promise<ReadonlyMap<string, ProgressRow>> {
  if (uuids.length === 0) return new Map();
  const rows = await db
    .selectFrom("progress")
    .selectAll()
    .modifyFront(hot)
    .where(isAmong("heimdall_job_id", uuids))
    .execute();
  return new Map(rows.map((row) => [row.heimdall_job_id, toProgressRow(row)]));
}

export async function saveProgress(tx: Tx, progress: ReadonlyMap<string, ProgressRow>): Promise<void> {
  if (progress.size === 0) return;
  const rows = [...progress].map(([uuid, row]) => ({
    heimdall_job_id: uuid,
    first_step: row.firstStep,
    first_step_at: row.firstStepAt,
    last_step: row.lastStep,
    last_step_at: row.lastStepAt,
    step_spacing_ms: row.stepSpacingMs,
    checkpoint_step: row.checkpointStep,
    checkpoint_at: row.checkpointAt,
    resumed_from_step: row.resumedFromStep,
    resumed_at: row.resumedAt,
    last_resumed_at: row.lastResumedAt,
    log_read_at: row.logReadAt,
    log_ended_at: row.logEndedAt,
    log_heard_at: row.logHeardAt,
  }));
  await sql`
    insert into progress select * from jsonb_populate_recordset(null::progress, ${json(rows)}::jsonb)
    on conflict (heimdall_job_id) do update set first_step = excluded.first_step, first_step_at = excluded.first_step_at,
      last_step = excluded.last_step, last_step_at = excluded.last_step_at, step_spacing_ms = excluded.step_spacing_ms,
      checkpoint_step = excluded.checkpoint_step, checkpoint_at = excluded.checkpoint_at,
      resumed_from_step = excluded.resumed_from_step, resumed_at = excluded.resumed_at,
      last_resumed_at = excluded.last_resumed_at, log_read_at = excluded.log_read_at,
      log_ended_at = excluded.log_ended_at, log_heard_at = excluded.log_heard_at`.execute(tx);
}

function toProgressRow(row: Selectable<ProgressTable>): ProgressRow {
  return present({
    firstStep: row.first_step,
    firstStepAt: row.first_step_at,
    lastStep: row.last_step,
    lastStepAt: row.last_step_at,
    stepSpacingMs: row.step_spacing_ms,
    checkpointStep: row.checkpoint_step,
    checkpointAt: row.checkpoint_at,
    resumedFromStep: row.resumed_from_step,
    resumedAt: row.resumed_at,
    lastResumedAt: row.last_resumed_at,
    logReadAt: row.log_read_at,
    logEndedAt: row.log_ended_at,
    logHeardAt: row.log_heard_at,
  });
}

export function asProgress(row: ProgressRow | undefined): Progress {
  const { lastResumedAt: _, logHeardAt: __, ...progress } = row ?? {};
  return progress;
}
