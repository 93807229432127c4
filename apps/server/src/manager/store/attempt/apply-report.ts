/**
 * apply-report: one report about one attempt, laid over what is stored.
 *
 * In the loop   report → **applyReport** → job row → facts
 * Takes         a desk with all attempts under the report's job ID.
 * Gives         the record as it stands afterwards; the desk holds it, its settled neighbours and the audit rows.
 * Keeps         an absent field or empty list erases nothing; coverage is fixed at first sight; a final state comes back to life
 *               only after a rollback of the controller, which is audited (api.md §4).
 * Fails         as `findAttempt`; then the desk is unchanged.
 */
import { everyPartition } from "@reprise/core/fact/every-partition.ts";
import { attemptUuid } from "@reprise/core/identity/attempt-uuid.ts";
import type { Coverage, Instant, JmState, JobStatus, JsonObject, JsonValue } from "@reprise/core/nouns.ts";
import type { JobReport } from "../../store.ts";
import { present } from "../postgres/storable.ts";
import type { Desk } from "./desk.ts";
import { findAttempt, type Found } from "./find-attempt.ts";
import { hasRun, isFinal, type JobRow } from "./job-row.ts";
import { isInView, laterThan, settleLate, settleNeighbours, undo, type Context } from "./settle.ts";

export function applyReport(desk: Desk, report: JobReport, context: Context): JobRow {
  const found = findAttempt(desk, report, context.view !== undefined);
  if (found.kind === "stale") return found.row;
  const row = found.kind === "new" ? begun(report, found, context) : laidOver(desk, found, report, context);
  desk.put(row);
  if (found.kind === "new" && found.incarnation > 0 && desk.siblings(row).length === 1) {
    desk.audit(row, "job.new-incarnation", { incarnation: row.incarnation, jobId: row.jobId });
  }
  if (found.kind === "new" && context.view === undefined) settleLate(desk, row, context);
  settleNeighbours(desk, row, context);
  return desk.get(row.heimdallJobId) ?? row;
}

function begun(report: JobReport, found: Found & { kind: "new" }, context: Context): JobRow {
  const { now, seenAt = now } = context;
  const { cluster, jobId = "", attemptIndex } = report;
  const incarnationSubmitAt = found.incarnation > 0 ? (found.incarnationSubmitAt ?? now) : undefined;
  const name = { cluster, jobId, attemptIndex, ...present({ incarnationSubmitAt }) };
  const blank: JobRow = {
    heimdallJobId: report.heimdallJobId?.toLowerCase() ?? attemptUuid(name),
    cluster,
    jobId,
    attemptIndex,
    incarnation: found.incarnation,
    ...present({ incarnationSubmitAt }),
    workflowId: report.workflowId,
    nodes: [],
    nodeConstraints: { exclusions: [], inclusions: [] },
    status: "PENDING",
    jmState: report.status === undefined ? "UNKNOWN" : "PENDING", // Nobody said what it does: no Advice follows.
    schedulerMetadata: {},
    coverage: report.coverage,
    isListed: false,
    createdAt: now,
    updatedAt: now,
    lastSeenAt: seenAt,
  };
  return withState(withFields(blank, report, seenAt), stateAfter(blank, report, true), now);
}

function laidOver(desk: Desk, found: Found & { row: JobRow }, report: JobReport, context: Context): JobRow {
  const { row } = found;
  const { now, seenAt = now } = context;
  if (report.workflowId !== row.workflowId) {
    desk.audit(row, "job.workflow-changed", { from: row.workflowId, to: report.workflowId });
  }
  if (found.kind === "repeated") {
    desk.audit(row, "job.repeated", { ...lifeOf(row), submitAtNow: report.submitAt ?? null });
    const { startedAt: _, endedAt: __, sluid: ___, ...again } = row;
    // Where the life that was lost ran, and what it kept away from, is nothing of this one.
    const nowhere = { nodes: [], nodeConstraints: { exclusions: [], inclusions: [] } };
    const blank: JobRow = { ...again, ...nowhere, status: "PENDING", jmState: "PENDING" };
    if (context.view !== undefined) undo(desk, row, context);
    return withState(withFields(blank, report, seenAt), stateAfter(blank, report, true), now);
  }
  const isAgain = isShownAgain(desk, row, report, context);
  const before = isAgain ? { ...row, jmState: plainly(row.status) } : row;
  const state = stateAfter(before, report, mayReopen(desk, row, report, context));
  if (isFinal(row.status) && (isAgain || !isFinal(state.status))) {
    desk.audit(row, "job.rolled-back", { ...lifeOf(row), statusNow: state.status });
    undo(desk, row, context);
  }
  return withState(withFields(row, report, seenAt), state, now);
}

const lifeOf = ({ status, jmState, submitAt, startedAt, endedAt }: JobRow): JsonObject => ({
  status,
  jmState,
  submitAt: submitAt ?? null,
  startedAt: startedAt ?? null,
  endedAt: endedAt ?? null,
});

/** The controller lost what it had done: the same attempt, submitted at the same time, and nothing after it. */
function mayReopen(desk: Desk, row: JobRow, report: JobReport, context: Context): boolean {
  const later = laterThan(desk, row);
  const hasSuccessor = later.some((other) =>
    context.view === undefined ? other.status !== "DELETED" : isInView(other, context),
  );
  if (hasSuccessor) return false;
  if (row.status === "DELETED" && context.view !== undefined) return true; // It was only missing from a view.
  return row.submitAt !== undefined && report.submitAt === row.submitAt;
}

/** The end of a requeued attempt is the job's own again: the controller lost the requeue, and whatever had come of it. */
function isShownAgain(desk: Desk, row: JobRow, { status }: JobReport, context: Context): boolean {
  if (context.view === undefined || row.jmState !== "REQUEUED" || status === undefined || !isFinal(status))
    return false;
  return !laterThan(desk, row).some((other) => isInView(other, context));
}

interface State {
  readonly status: JobStatus;
  readonly jmState: JmState;
}

function stateAfter(row: JobRow, { status, jmState }: JobReport, mayLive: boolean): State {
  const isOver = isFinal(row.status);
  if (status === undefined) return { status: row.status, jmState: isOver ? row.jmState : (jmState ?? row.jmState) };
  if (isOver && !isFinal(status) && !mayLive) return row;
  if (isOver && status === "DELETED") return row; // How it ended is known better.
  if (isOver && isFinal(status) && row.jmState === "REQUEUED") return { status, jmState: "REQUEUED" };
  return { status, jmState: jmState ?? (status === row.status ? row.jmState : plainly(status)) };
}

/** For publishers that know only the coarse status. */
const plainly = (status: JobStatus): JmState => (status === "STOPPED" || status === "DELETED" ? "UNKNOWN" : status);

function withState(row: JobRow, { status, jmState }: State, now: Instant): JobRow {
  const { startedAt: before, endedAt, ...rest } = row;
  // A controller that went back to before its start has forgotten it; the next start is another program.
  const known = status === "PENDING" ? undefined : before;
  const startedAt = known ?? (hasRun({ status, jmState, nodes: row.nodes }) ? now : undefined);
  return {
    ...rest,
    status,
    jmState,
    ...present({ startedAt, endedAt: isFinal(status) ? (endedAt ?? now) : undefined }),
  };
}

/** Everything but the state. */
function withFields(row: JobRow, report: JobReport, seenAt: Instant): JobRow {
  const { exclusions = [], inclusions = [] } = report.nodeConstraints ?? {};
  return {
    ...row,
    ...(row.jobId === "" && report.jobId !== undefined
      ? { jobId: report.jobId, attemptIndex: report.attemptIndex }
      : {}),
    workflowId: report.workflowId,
    coverage: coverageAfter(row, report),
    nodes: given(report.nodes) ?? row.nodes,
    nodeConstraints: {
      exclusions: given(exclusions) ?? row.nodeConstraints.exclusions,
      inclusions: given(inclusions) ?? row.nodeConstraints.inclusions,
    },
    schedulerMetadata: laidOverMetadata(row.schedulerMetadata, report.schedulerMetadata ?? {}),
    ...present({
      jobName: report.jobName,
      gpuCountPerNode: report.gpuCountPerNode,
      recoveryConfig: report.recoveryConfig,
      submitAt: report.submitAt,
      user: report.user,
      command: report.command,
      sluid: report.sluid,
    }),
    ...(report.additionalProperties === undefined
      ? {}
      : { additionalProperties: { ...row.additionalProperties, ...report.additionalProperties } }),
    lastSeenAt: Math.max(row.lastSeenAt, seenAt),
  };
}

/** What Slurm no longer shows of an attempt (its submit time, once it was requeued) is not thereby unknown. */
function laidOverMetadata(stored: JsonObject, reported: JsonObject): JsonObject {
  const [before, now] = [asObject(stored["slurm"]), asObject(reported["slurm"])];
  const [known, shown] = [before["partition"], now["partition"]];
  const partition = typeof known === "string" && typeof shown === "string" ? everyPartition(known, shown) : undefined;
  const slurm = { ...before, ...now, ...(partition === undefined ? {} : { partition }) };
  return { ...stored, ...reported, ...(Object.keys(slurm).length === 0 ? {} : { slurm }) };
}

const asObject = (value: JsonValue | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

/** Fixed by the first report that says anything about recovery: an edited comment counts from the next attempt on. */
function coverageAfter(row: JobRow, report: JobReport): Coverage {
  const speaks = (metadata: JsonObject | undefined, config: JsonObject | undefined) =>
    config !== undefined || metadata?.["recovery"] !== undefined;
  if (speaks(row.schedulerMetadata, row.recoveryConfig)) return row.coverage;
  return speaks(report.schedulerMetadata, report.recoveryConfig) ? report.coverage : row.coverage;
}

const given = <T>(list: readonly T[] | undefined): readonly T[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;
