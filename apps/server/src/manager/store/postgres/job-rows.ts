/**
 * job-rows: the table `job`, written. It is read in `select-jobs.ts`.
 *
 * Writes   tables `job`, `workflow` and (through `facts-store`, `target-store`) what follows from a changed attempt.
 * Keeps    one writer at a time (`lockJobs`): the order of creation is the order of commit, so that a walk by offset neither
 *          skips nor repeats a row; a neighbour's row is never changed under a decision about it (`facts` is raised for both).
 */
import { sql, type Selectable } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Desk } from "../attempt/desk.ts";
import { numbered, toBeRead, withPredecessors, workflowName, type NumberedRow } from "../attempt/follow-up.ts";
import type { JobRow } from "../attempt/job-row.ts";
import { recordAudit } from "./audit-store.ts";
import { raiseFacts } from "./facts-store.ts";
import type { JobTable, Tx } from "./schema.ts";
import { json } from "./storable.ts";
import { openTargets } from "./target-store.ts";

/** They travel as one JSON text, a few kilobytes each. */
const rowsPerStatement = 1000;
const jobLock = 0x5e9215e;

/** Taken first of all by everybody who writes `job`; held until the commit. */
export async function lockJobs(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(jobLock)})`.execute(tx);
}

export interface Saved {
  /** UUIDs whose facts changed. */
  readonly changed: readonly string[];
}

export async function saveDesk(tx: Tx, desk: Desk, now: Instant): Promise<Saved> {
  const changed = desk.changed();
  const dated = changed.map(({ after }) => ({ ...after, updatedAt: now }));
  const rows = numbered(dated, await newestOf(tx, dated), now);
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    await saveRows(tx, rows.slice(from, from + rowsPerStatement));
  }
  await unlist(tx, desk.unlisted());
  await saveWorkflows(tx, rows);
  await openTargets(tx, toBeRead(changed));
  const uuids = rows.map((row) => row.heimdallJobId);
  await raiseFacts(tx, withPredecessors(desk, rows), now);
  await recordAudit(
    tx,
    desk.audits.map(({ row, type, payload }) => ({ attempt: row, type, payload })),
    now,
  );
  return { changed: uuids };
}

/** The attempt that was created last; read only when one of the rows is new. */
async function newestOf(tx: Tx, rows: readonly JobRow[]) {
  if (rows.every((row) => row.createdSeq !== undefined)) return undefined;
  return await tx
    .selectFrom("job")
    .select(["created_seq as createdSeq", "created_at as createdAt"])
    .orderBy("created_seq", "desc")
    .limit(1)
    .executeTakeFirst();
}

async function saveRows(tx: Tx, rows: readonly NumberedRow[]): Promise<void> {
  const set = updatable.map((column) => `${column} = excluded.${column}`).join(", ");
  await sql`
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

/** Before the next pass is saved: they were last seen by the one before. */
async function unlist(tx: Tx, rows: readonly JobRow[]): Promise<void> {
  if (rows.length === 0) return;
  const uuids = rows.map((row) => row.heimdallJobId);
  await sql`
    update job set is_listed = false,
      last_seen_at = greatest(last_seen_at, (select complete_at from pass where pass.cluster = job.cluster))
    where heimdall_job_id = any(${uuids}::text[])`.execute(tx);
}

async function saveWorkflows(tx: Tx, rows: readonly JobRow[]): Promise<void> {
  const names = new Map(rows.map((row) => [row.workflowId, workflowName(row)]));
  const missing = [...names].map(([workflow_id, name]) => ({ workflow_id, name: name ?? null }));
  if (missing.length === 0) return;
  await sql`
    insert into workflow (workflow_id, name)
    select w.workflow_id, w.name from jsonb_to_recordset(${json(missing)}::jsonb) as w (workflow_id text, name text)
    where not exists (select from workflow known where known.workflow_id = w.workflow_id)
    on conflict (workflow_id) do nothing`.execute(tx);
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
  };
}
