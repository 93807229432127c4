/**
 * job-row: one attempt as the store works on it: the record, and what tells one attempt from another in Slurm.
 */
import type { AttemptRecord, Instant, JmState, JobStatus } from "@reprise/core/nouns.ts";

export interface JobRow extends AttemptRecord {
  /** Its place in the order of creation; absent until it is saved. */
  readonly createdSeq?: number;
  /** Of a later incarnation: the submit time that is part of its UUIDs. */
  readonly incarnationSubmitAt?: Instant;
  readonly submitAt?: Instant;
  readonly user?: string;
  readonly command?: string;
  readonly sluid?: string;
  /** The last complete pass over its cluster listed it. */
  readonly isListed: boolean;
}

const final: ReadonlySet<JobStatus> = new Set(["STOPPED", "COMPLETED", "FAILED", "CANCELLED", "DELETED"]);
export const isFinal = (status: JobStatus): boolean => final.has(status);

const neverRan: ReadonlySet<JmState> = new Set(["DEADLINE", "BOOT_FAIL"]);
/** Nobody needs to have seen it running: an attempt with such an end has run, and a cancelled one that had nodes. */
export const hasRun = ({ status, jmState, nodes }: Pick<JobRow, "status" | "jmState" | "nodes">): boolean =>
  status === "RUNNING" ||
  (status === "CANCELLED" && nodes.length > 0) ||
  status === "COMPLETED" ||
  jmState === "PREEMPTED" ||
  (status === "FAILED" && !neverRan.has(jmState));

/** There may be lines of it that the watcher should read. */
export const hasLogs = (row: JobRow): boolean =>
  row.coverage.kind === "covered" && (row.startedAt !== undefined || row.status === "STOPPED");

export const attemptKey = (jobId: string, attemptIndex: number): string => `${jobId} ${attemptIndex}`;

/** What leaves the store of such a row. */
export function asAttempt(row: JobRow): AttemptRecord {
  const {
    createdSeq: _,
    incarnationSubmitAt: __,
    submitAt: ___,
    user: ____,
    command: _____,
    sluid: ______,
    isListed: _______,
    ...rest
  } = row;
  return rest;
}
