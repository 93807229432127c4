/** job-query: attempts and workflows, as people and programs ask for them. See `postgres/job-query.ts`. */
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import type { Page, Slice, WorkflowRecord } from "../../store.ts";
import { windowOf } from "../attempt/window.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import { isFinal } from "../attempt/job-row.ts";
import { present } from "../postgres/storable.ts";
import { attemptOf, newestIncarnation } from "./job-table.ts";
import { page } from "./page.ts";
import type { Tables } from "./tables.ts";

export function getJobByUuid(t: Tables, heimdallJobId: string): AttemptRecord | undefined {
  const row = t.jobs.get(heimdallJobId.toLowerCase());
  return row && attemptOf(t, row);
}

export function getJobByAttempt(
  t: Tables,
  cluster: string,
  jobId: string,
  attemptIndex: number,
): AttemptRecord | undefined {
  const row = newestIncarnation(t, cluster, jobId).find((other) => other.attemptIndex === attemptIndex);
  return row && attemptOf(t, row);
}

/** In the order of creation. */
export const allJobs = (t: Tables): NumberedRow[] => t.created.flatMap((uuid) => t.jobs.get(uuid) ?? []);

export function shown(t: Tables, rows: readonly NumberedRow[], slice: Slice): Page<AttemptRecord> {
  const found = page(rows, slice);
  return { ...found, rows: found.rows.map((row) => attemptOf(t, row)) };
}

export function listJobsBySchedulerId(t: Tables, jobId: string, slice: Slice): Page<AttemptRecord> {
  const rows = [...(t.families.get(jobId) ?? [])].flatMap((uuid) => t.jobs.get(uuid) ?? []);
  rows.sort(
    (a, b) =>
      (a.cluster < b.cluster ? -1 : a.cluster > b.cluster ? 1 : 0) ||
      a.incarnation - b.incarnation ||
      a.attemptIndex - b.attemptIndex,
  );
  return shown(t, rows, slice);
}

export function listWorkflows(t: Tables, slice: Slice): Page<WorkflowRecord> {
  const placed = t.createdWorkflows.map((workflowId, i) => ({ workflowId, place: i + 1 }));
  const found = placed.filter(({ workflowId, place }) => workflowId !== "" && place > slice.offset);
  const placeOf = ({ place }: { readonly place: number }) => place;
  return windowOf(found, slice, placeOf, ({ workflowId }) => workflowOf(t, workflowId));
}

export function getWorkflow(t: Tables, workflowId: string): WorkflowRecord | undefined {
  return t.workflows.has(workflowId) ? workflowOf(t, workflowId) : undefined;
}

/** A workflow has ended when none of its attempts is live. */
function workflowOf(t: Tables, workflowId: string): WorkflowRecord {
  const rows = allJobs(t).filter((row) => row.workflowId === workflowId);
  const starts = rows.flatMap(({ startedAt }) => startedAt ?? []);
  const ends = rows.every(({ status }) => isFinal(status)) ? rows.flatMap(({ endedAt }) => endedAt ?? []) : [];
  const startAt = starts.length === 0 ? undefined : Math.min(...starts);
  const endAt = ends.length === 0 ? undefined : Math.max(...ends);
  return { workflowId, ...present({ name: t.workflows.get(workflowId), startAt, endAt }) };
}
