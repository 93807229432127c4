/**
 * follow-up: what else is to be done about attempts that changed: their place in the order of creation, whose facts are raised,
 * whose logs are to be read.
 *
 * Pure, total
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Desk } from "./desk.ts";
import { hasLogs, type JobRow } from "./job-row.ts";

export type NumberedRow = JobRow & { readonly createdSeq: number };

/**
 * Gives new rows their place and time of creation; both only grow, also where clocks of replicas differ.
 *
 * @param newest The attempt that was created last; absent when there is none, or when no row is new.
 */
export function numbered(
  rows: readonly JobRow[],
  newest: { readonly createdSeq: number; readonly createdAt: Instant } | undefined,
  now: Instant,
): NumberedRow[] {
  let seq = newest?.createdSeq ?? 0;
  const createdAt = Math.max(now, newest?.createdAt ?? now);
  return rows.map((row) => {
    if (isNumbered(row)) return row;
    seq++;
    return { ...row, createdSeq: seq, createdAt };
  });
}

const isNumbered = (row: JobRow): row is NumberedRow => row.createdSeq !== undefined;

/** What happens to k+1 decides what may still be said about k: the changed rows, and the attempt before each. */
export function withPredecessors(desk: Desk, rows: readonly JobRow[]): string[] {
  const uuids = new Set(rows.map((row) => row.heimdallJobId));
  for (const row of rows) {
    const before = desk.siblings(row).filter(({ attemptIndex }) => attemptIndex < row.attemptIndex);
    const last = before.at(-1);
    if (last !== undefined) uuids.add(last.heimdallJobId);
  }
  return [...uuids];
}

/** Attempts whose logs are to be read from now on: they began to run, or live again. */
export function toBeRead(changed: ReturnType<Desk["changed"]>): string[] {
  return changed
    .filter(
      ({ before, after }) => hasLogs(after) && !(before !== undefined && hasLogs(before) && !revived(before, after)),
    )
    .map(({ after }) => after.heimdallJobId);
}

const revived = (before: JobRow, after: JobRow): boolean => before.endedAt !== undefined && after.endedAt === undefined;

/** The name of the workflow of an attempt, where its author gave one. */
export const workflowName = ({ coverage }: JobRow): string | undefined =>
  coverage.kind === "covered" ? coverage.policy.workflowName : undefined;
