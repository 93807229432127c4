/**
 * place: where an attempt stands in the listing of its workflow and of its job ID, once it has changed one of them.
 *
 * Keeps   a walk by offset neither skips nor repeats: an attempt that comes late stands behind all that were there, and one that has
 *         left keeps its place, empty. One that never changed stands where it was created, and has no row of its own.
 * Pure, total
 * Source  docs/decisions/0018.
 */
import type { JobRow } from "./job-row.ts";

export interface Place {
  readonly list: "workflow" | "job";
  readonly value: string;
  readonly heimdallJobId: string;
  /** Behind the attempt with this place in the order of creation… */
  readonly createdSeq: number;
  /** …and behind all that came late before. Otherwise it is that attempt. */
  readonly isLate: boolean;
}

interface Change {
  readonly before: JobRow | undefined;
  readonly after: JobRow;
}

/** @returns The places of attempts that were known and have changed their workflow or got their job ID. A known place stays as it is. */
export function newPlaces(changed: readonly Change[], newestSeq: number): Place[] {
  return changed.flatMap(({ before, after }) => {
    if (before?.createdSeq === undefined) return [];
    if (before.workflowId === after.workflowId && before.jobId === after.jobId) return [];
    const original = { createdSeq: before.createdSeq, isLate: false };
    const late = { createdSeq: newestSeq, isLate: true };
    const places = [...placesOf(before, original), ...placesOf(after, late)];
    // Of a listing that it has not left the first one counts.
    return [...new Map(places.toReversed().map((place) => [`${place.list} ${place.value}`, place])).values()];
  });
}

function placesOf(row: JobRow, where: Pick<Place, "createdSeq" | "isLate">): Place[] {
  const { heimdallJobId, workflowId, jobId } = row;
  const inWorkflow: Place = { list: "workflow", value: workflowId, heimdallJobId, ...where };
  return jobId === "" ? [inWorkflow] : [inWorkflow, { list: "job", value: jobId, heimdallJobId, ...where }];
}
