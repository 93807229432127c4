/**
 * job-rows: the table `job`, written. It is read in `select-jobs.ts`.
 *
 * Writes   tables `job`, `workflow`, `listing_place` and (through `facts-store`, `target-store`) what follows from a changed attempt.
 * Keeps    one writer at a time (`lockJobs`): the order of creation is the order of commit, and it skips no number, so that a walk
 *          by offset neither skips nor repeats a row; a neighbour's row is never changed under a decision about it (`facts` is
 *          raised for both).
 */
import { sql, type Selectable } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Desk } from "../attempt/desk.ts";
import { ahead } from "./ahead.ts";
import { hot } from "./prepared.ts";
import { deskEvents } from "../attempt/desk-events.ts";
import { numbered, toBeRead, withPredecessors, workflowName, type NumberedRow } from "../attempt/follow-up.ts";
import type { JobRow } from "../attempt/job-row.ts";
import { newPlaces, type Place } from "../attempt/place.ts";
import { recordOwnEvents } from "./audit-store.ts";
import { raiseFacts } from "./facts-store.ts";
import type { JobTable, Tx } from "./schema.ts";
import { json } from "./storable.ts";
import { openTargets } from "./target-store.ts";

/** They travel as one JSON text, a few kilobytes each. */
const rowsPerStatement = 1000;
const jobLock = 0x5e9215e;

/** Taken first of all by everybody who writes `job`; held until the commit. */
export async function lockJobs(tx: Tx): Promise<void> {
  await sql`${ahead} select pg_advisory_xact_lock(${sql.lit(jobLock)})`.execute(tx);
}

export interface Saved {
  /** Whose facts changed; as they now stand. */
  readonly changed: readonly NumberedRow[];
}

export async function saveDesk(tx: Tx, desk: Desk, now: Instant): Promise<Saved> {
  const changed = desk.changed();
  const dated = changed.map(({ after }) => ({ ...after, updatedAt: now }));
  const newest = await newestOf(tx, changed);
  const rows = numbered(dated, newest, now);
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    await saveRows(tx, rows.slice(from, from + rowsPerStatement));
  }
  const last = rows.reduce((seq, row) => Math.max(seq, row.createdSeq), newest?.createdSeq ?? 0);
  await savePlaces(tx, newPlaces(changed, last));
  await unlist(tx, desk.unlisted());
  await saveWorkflows(
    tx,
    rows.filter((row, i) => changed[i]?.before?.workflowId !== row.workflowId),
  );
  await openTargets(tx, toBeRead(changed));
  await raiseFacts(tx, withPredecessors(desk, rows), now);
  await recordOwnEvents(tx, deskEvents(desk, changed, now));
  return { changed: rows };
}

/** The attempt that was created last; read only when one of the rows takes a place behind it. */
async function newestOf(tx: Tx, changed: ReturnType<Desk["changed"]>) {
  const isPlaced = changed.some(
    ({ before, after }) => before?.workflowId !== after.workflowId || before.jobId !== after.jobId,
  );
  if (!isPlaced) return undefined;
  return await tx
    .selectFrom("job")
    .select(["created_seq as createdSeq", "created_at as createdAt"])
    .orderBy("created_seq", "desc")
    .limit(1)
    .executeTakeFirst();
}

async function saveRows(tx: Tx, rows: readonly NumberedRow[]): Promise<void> {
  const set = updatable.map((column) => `${column} = excluded.${column}`).join(", ");
  await sql`${ahead}${hot}
    insert into job select * from jsonb_populate_recordset(null::job, ${json(rows.map(toTableRow))}::jsonb)
    on conflict (heimdall_job_id) do update set ${sql.raw(set)}`.execute(tx);
}

/** All but what is fixed when the row is made. */
const updatable: readonly (keyof JobTable)[] = [
  "job_id",
  "attempt_index",
  "workflow_id",
  "job_name",
  "nodes",
  "gpu_count_per_node",
  "node_constraints",
  "additional_properties",
  "status",
  "jm_state",
  "scheduler_metadata",
  "recovery_config",
  "coverage",
  "submit_at",
  "user_name",
  "command",
  "sluid",
  "is_listed",
  "started_at",
  "ended_at",
  "updated_at",
  "last_seen_at",
];

async function savePlaces(tx: Tx, places: readonly Place[]): Promise<void> {
  if (places.length === 0) return;
  await sql`${ahead}
    insert into listing_place (list, value, heimdall_job_id, created_seq, late_seq)
    select p.list, p.value, p."heimdallJobId", p."createdSeq", case when p."isLate" then nextval('listing_late') else 0 end
    from jsonb_to_recordset(${json(places)}::jsonb)
      as p (list text, value text, "heimdallJobId" text, "createdSeq" bigint, "isLate" boolean)
    on conflict do nothing`.execute(tx);
  const uuids = places.map((place) => place.heimdallJobId);
  await sql`${ahead} update job set has_moved = true where heimdall_job_id = any(${uuids}::text[]) and not has_moved`.execute(
    tx,
  );
}

/** Before the next pass is saved: they were last seen by the one before. */
async function unlist(tx: Tx, rows: readonly JobRow[]): Promise<void> {
  if (rows.length === 0) return;
  const uuids = rows.map((row) => row.heimdallJobId);
  await sql`${ahead}
    update job set is_listed = false,
      last_seen_at = greatest(last_seen_at, (select complete_at from pass where pass.cluster = job.cluster))
    where heimdall_job_id = any(${uuids}::text[])`.execute(tx);
}

async function saveWorkflows(tx: Tx, rows: readonly JobRow[]): Promise<void> {
  const names = new Map(rows.map((row) => [row.workflowId, workflowName(row)]));
  const missing = [...names].map(([workflow_id, name]) => ({ workflow_id, name: name ?? null }));
  if (missing.length === 0) return;
  await sql`${ahead}
    insert into workflow (workflow_id, name, created_seq)
    select w.workflow_id, w.name, row_number() over () + coalesce((select max(created_seq) from workflow), 0)
    from jsonb_to_recordset(${json(missing)}::jsonb) as w (workflow_id text, name text)
    where not exists (select from workflow known where known.workflow_id = w.workflow_id)`.execute(tx);
}

function toTableRow(row: NumberedRow): Selectable<JobTable> {
  return {
    heimdall_job_id: row.heimdallJobId,
    created_seq: row.createdSeq,
    cluster: row.cluster,
    job_id: row.jobId,
    attempt_index: row.attemptIndex,
    incarnation: row.incarnation,
    incarnation_submit_at: row.incarnationSubmitAt ?? null,
    workflow_id: row.workflowId,
    job_name: row.jobName ?? null,
    nodes: row.nodes,
    gpu_count_per_node: row.gpuCountPerNode ?? null,
    node_constraints: row.nodeConstraints,
    additional_properties: row.additionalProperties ?? null,
    status: row.status,
    jm_state: row.jmState,
    scheduler_metadata: row.schedulerMetadata,
    recovery_config: row.recoveryConfig ?? null,
    coverage: row.coverage,
    submit_at: row.submitAt ?? null,
    user_name: row.user ?? null,
    command: row.command ?? null,
    sluid: row.sluid ?? null,
    is_listed: row.isListed,
    started_at: row.startedAt ?? null,
    ended_at: row.endedAt ?? null,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    last_seen_at: row.lastSeenAt,
    has_moved: false, // Of a new row; `savePlaces` sets it.
  };
}
