/**
 * settle: what one attempt's presence or absence says about the others of its job.
 *
 * Keeps   attempt k is REQUEUED once k+1 is seen and k itself is not (with what was last seen of it, if that was final);
 *         what has gone from Slurm without a final state is DELETED, and its end is UNKNOWN; unknown is not failed.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Desk } from "./desk.ts";
import { attemptKey, isFinal, type JobRow } from "./job-row.ts";

export interface Context {
  readonly now: Instant;
  /** `attemptKey` of everything that an ordered pass lists. Absent: one report by itself. */
  readonly view?: ReadonlySet<string>;
}

const isInView = (row: JobRow, { view }: Context): boolean =>
  view?.has(attemptKey(row.jobId, row.attemptIndex)) ?? false;

/** `row` was just seen: the attempts before it are over, and so is whatever had its job ID before. */
export function settleNeighbours(desk: Desk, row: JobRow, context: Context): void {
  if (row.jobId === "") return;
  for (const other of desk.family(row.cluster, row.jobId)) {
    if (other.incarnation < row.incarnation) desk.put(gone(other, context));
    if (other.incarnation !== row.incarnation || other.attemptIndex >= row.attemptIndex) continue;
    if (!isInView(other, context)) desk.put(requeued(other, context));
  }
}

/** `row` is reported for the first time, by itself, when its successor is known already. */
export function settleLate(desk: Desk, row: JobRow, context: Context): void {
  const isFollowed = desk
    .siblings(row)
    .some(({ attemptIndex, status }) => attemptIndex > row.attemptIndex && status !== "DELETED");
  if (isFollowed) desk.put(requeued(row, context));
}

/** A complete pass does not list `row` any more. */
export function settleMissing(desk: Desk, row: JobRow, context: Context): void {
  const isFollowed = desk.siblings(row).some(({ attemptIndex }) => attemptIndex > row.attemptIndex);
  desk.put(isFollowed ? requeued(row, context) : gone(row, context));
}

/** The controller is back at `row`: what came after it never happened in the history that survived. */
export function undo(desk: Desk, row: JobRow, context: Context): void {
  for (const other of desk.siblings(row)) {
    if (other.attemptIndex <= row.attemptIndex || isInView(other, context)) continue;
    const { startedAt: _, ...rest } = gone(other, context);
    desk.put({ ...rest, status: "DELETED", jmState: "UNKNOWN" });
  }
}

function requeued(row: JobRow, { now }: Context): JobRow {
  const left: JobRow = { ...row, jmState: "REQUEUED", isListed: false };
  return isFinal(row.status) ? left : { ...left, status: "STOPPED", endedAt: row.endedAt ?? now };
}

function gone(row: JobRow, { now }: Context): JobRow {
  if (isFinal(row.status)) return { ...row, isListed: false };
  return { ...row, status: "DELETED", jmState: "UNKNOWN", isListed: false, endedAt: row.endedAt ?? now };
}
