/** list-jobs: attempts in the order of creation, by offset. See `postgres/list-jobs.ts`. */
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import type { JobFilter, Page, Slice } from "../../store.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import { windowOf } from "../attempt/window.ts";
import { isFinal } from "../attempt/job-row.ts";
import { allJobs, shown } from "./job-query.ts";
import { attemptOf } from "./job-table.ts";
import { page } from "./page.ts";
import type { PlaceRow, Tables } from "./tables.ts";

export function listJobs(t: Tables, filter: JobFilter, slice: Slice): Page<AttemptRecord> {
  const { workflowIds = [], jobIds = [], jmState, reconciliationEligible, completed } = filter;
  const { endTimeFrom = -Infinity, endTimeTo = Infinity } = filter;
  const isBounded = filter.endTimeFrom !== undefined || filter.endTimeTo !== undefined;
  const isIn = (row: NumberedRow): boolean =>
    (workflowIds.length === 0 || workflowIds.includes(row.workflowId)) &&
    (jobIds.length === 0 || (row.jobId !== "" && jobIds.includes(row.jobId)));
  const isByPlace = jmState === undefined && reconciliationEligible !== true && completed === undefined && !isBounded;
  if (isByPlace && workflowIds.length === 0 && jobIds.length === 0) {
    const found = allJobs(t).filter(({ createdSeq }) => createdSeq > slice.offset);
    return windowOf(
      found,
      slice,
      ({ createdSeq }) => createdSeq,
      (row) => attemptOf(t, row),
    );
  }
  if (isByPlace) {
    const { rows: places, hasMore } = page(placesOf(t, workflowIds, jobIds, isIn), slice);
    const rows = places.flatMap((uuid) => t.jobs.get(uuid) ?? []).filter(isIn);
    return { rows: rows.map((row) => attemptOf(t, row)), hasMore };
  }
  const isAsked = (row: NumberedRow): boolean =>
    isIn(row) &&
    (jmState === undefined || row.jmState === jmState) &&
    (reconciliationEligible !== true || isEligible(row)) &&
    (completed === undefined || isFinal(row.status) === completed) &&
    (!isBounded || (row.endedAt !== undefined && row.endedAt >= endTimeFrom && row.endedAt < endTimeTo));
  return shown(t, allJobs(t).filter(isAsked), slice);
}

/** UUIDs of who is or was in the listing. Who has left, or has gone, is counted. */
function placesOf(
  t: Tables,
  workflowIds: readonly string[],
  jobIds: readonly string[],
  isIn: (row: NumberedRow) => boolean,
): string[] {
  const placed: [uuid: string, place: PlaceRow][] = [];
  for (const [i, uuid] of t.created.entries()) {
    const created: PlaceRow = [i + 1, 0];
    const row = t.jobs.get(uuid);
    if (!t.moved.has(uuid)) {
      if (row !== undefined && isIn(row)) placed.push([uuid, created]);
      continue;
    }
    const first = (list: "workflow" | "job", values: readonly string[]): PlaceRow | undefined => {
      if (values.length === 0) return created; // Everything is in it.
      const places = values.flatMap((value) => {
        const place = t.places.get(`${list} ${value}`)?.get(uuid);
        return place === undefined ? [] : [place];
      });
      return places.sort(byPlace)[0];
    };
    const [inWorkflow, inJob] = [first("workflow", workflowIds), first("job", jobIds)];
    if (inWorkflow === undefined || inJob === undefined) continue;
    placed.push([uuid, byPlace(inWorkflow, inJob) > 0 ? inWorkflow : inJob]);
  }
  return placed.sort(([, a], [, b]) => byPlace(a, b)).map(([uuid]) => uuid);
}

const byPlace = (a: PlaceRow, b: PlaceRow): number => a[0] - b[0] || a[1] - b[1];

const unwanted: ReadonlySet<string> = new Set(["COMPLETED", "CANCELLED", "DELETED"]);
/** What may still need recovery. */
const isEligible = ({ status, jmState }: NumberedRow): boolean =>
  !unwanted.has(status) && jmState !== "COMPLETED" && jmState !== "REQUEUED";
