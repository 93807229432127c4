/**
 * settle: what one attempt's presence or absence says about the others of its job.
 *
 * Keeps   attempt k is REQUEUED once k+1 is seen and k itself is not (with what was last seen of it, if that was final);
 *         what has gone from Slurm without a final state is DELETED, and its end is UNKNOWN; unknown is not failed. What came after an
 *         attempt that Slurm shows again by itself is DELETED, whatever became of it.
 */
import { slurmFactsOf } from "@reprise/core/fact/slurm-facts.ts";
import { slurmInstant } from "@reprise/core/fact/slurm-instant.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Desk } from "./desk.ts";
import { attemptKey, isFinal, type JobRow } from "./job-row.ts";

export interface Context {
  readonly now: Instant;
  /** When Slurm was looked at, by the clock of who looked. Absent: now. */
  readonly seenAt?: Instant;
  /** `attemptKey` of everything that an ordered pass lists. Absent: one report by itself. */
  readonly view?: ReadonlySet<string>;
}

export const isInView = (row: JobRow, { view }: Context): boolean =>
  view?.has(attemptKey(row.jobId, row.attemptIndex)) ?? false;

/** `row` was just seen: the attempts before it are over, and so is whatever had its job ID before. */
export function settleNeighbours(desk: Desk, row: JobRow, context: Context): void {
  if (row.jobId === "") return;
  for (const other of desk.family(row.cluster, row.jobId)) {
    if (other.incarnation < row.incarnation) desk.put(gone(other, context));
    if (other.incarnation !== row.incarnation || other.attemptIndex >= row.attemptIndex) continue;
    if (!isInView(other, context)) desk.put(requeued(other, [row], context));
  }
}

/** `row` is reported for the first time, by itself, when its successor is known already. */
export function settleLate(desk: Desk, row: JobRow, context: Context): void {
  const later = laterThan(desk, row).filter(({ status }) => status !== "DELETED");
  if (later.length > 0) desk.put(requeued(row, later, context));
}

/** A complete pass does not list these any more. The oldest first: one that is missed together with its successor was requeued. */
export function settleMissing(desk: Desk, missing: readonly JobRow[], context: Context): void {
  for (const { heimdallJobId } of missing.toSorted((a, b) => a.attemptIndex - b.attemptIndex)) {
    const row = desk.get(heimdallJobId);
    if (row !== undefined) desk.put(missed(desk, row, context));
  }
}

function missed(desk: Desk, row: JobRow, context: Context): JobRow {
  const isBack = desk.siblings(row).some((one) => one.attemptIndex < row.attemptIndex && isInView(one, context));
  // Only one that has not started is listed beside the one before it, while that one leaves.
  if (isBack && row.startedAt === undefined) return undone(row, context);
  // Of those that are DELETED the controller had lost the requeue: the row was listed all the same.
  const later = laterThan(desk, row).filter(({ status }) => status !== "DELETED");
  return later.length > 0 ? requeued(row, later, context) : gone(row, context);
}

/** The controller is back at `row`: what came after it never happened in the history that survived. */
export function undo(desk: Desk, row: JobRow, context: Context): void {
  for (const other of laterThan(desk, row)) if (!isInView(other, context)) desk.put(undone(other, context));
}

function undone(row: JobRow, context: Context): JobRow {
  const { startedAt: _, ...rest } = gone(row, context);
  return { ...rest, status: "DELETED", jmState: "UNKNOWN" };
}

export const laterThan = (desk: Desk, row: JobRow): JobRow[] =>
  desk.siblings(row).filter(({ attemptIndex }) => attemptIndex > row.attemptIndex);

function requeued(row: JobRow, later: readonly JobRow[], { now }: Context): JobRow {
  const left: JobRow = { ...row, jmState: "REQUEUED", isListed: false };
  return isFinal(row.status) ? left : { ...left, status: "STOPPED", endedAt: row.endedAt ?? endOf(row, later, now) };
}

/**
 * A requeue gives the job a new submit time when the old attempt has left its nodes; that may be long before anybody saw it. While it
 * leaves them, the next attempt shows the old one: where that was all that anybody saw, it was about to leave when it was last seen.
 * That is also all that is known of one whose next attempt nobody saw, the requeue of a later one is not its end; and of one whose next attempt
 * has run, and is leaving itself, when somebody looks again.
 */
function endOf(row: JobRow, later: readonly JobRow[], now: Instant): Instant {
  const { attemptIndex, startedAt = 0, submitAt, lastSeenAt } = row;
  const within = (at: Instant) => Math.max(startedAt, Math.min(now, at));
  if (!later.some((next) => next.attemptIndex === attemptIndex + 1)) return within(lastSeenAt);
  const requeuedAt = later.flatMap((next) =>
    submitAt !== undefined && next.submitAt !== undefined && next.submitAt > submitAt ? [next.submitAt] : [],
  );
  if (requeuedAt.length > 0) return within(Math.min(...requeuedAt));
  // While this one leaves, the next one shows its start, too.
  const hasRun = later.some((next) => (shownStart(next) ?? 0) > (shownStart(row) ?? Number.POSITIVE_INFINITY));
  if (hasRun) return within(lastSeenAt);
  return within(Math.max(lastSeenAt, ...later.map(({ createdAt }) => createdAt)));
}

const shownStart = (row: JobRow): Instant | undefined => slurmInstant(slurmFactsOf(row)["startTime"]);

function gone(row: JobRow, { now }: Context): JobRow {
  if (isFinal(row.status)) return { ...row, isListed: false };
  return { ...row, status: "DELETED", jmState: "UNKNOWN", isListed: false, endedAt: row.endedAt ?? now };
}
