/**
 * job-report: a request about one attempt, completed with what only the server knows.
 *
 * In the loop   CreateOrUpdateJob, ReportPass → **JobReport** → store
 * Pure, total
 * Keeps         the reading of Slurm's state and of the policy is the same whoever reports (core's tables).
 */
import { readSlurmState } from "@reprise/core/fact/slurm-state.ts";
import type { JmState, JobStatus } from "@reprise/core/nouns.ts";
import { coverageOf } from "@reprise/core/policy/coverage-of.ts";
import type { WireJobReport } from "@reprise/protocol/wire/job.ts";
import type { JobReport } from "./store.ts";

export interface Site {
  readonly environment?: string;
  /** The cluster that an unnamed job belongs to. */
  readonly cluster: string;
}

export function completeReport(report: WireJobReport, site: Site, cluster = report.cluster ?? site.cluster): JobReport {
  const jmState = jmStateOf(report);
  return { ...report, cluster, ...(jmState === undefined ? {} : { jmState }), coverage: coverageOf(report, site) };
}

/** Slurm's own word says more than the status; a status that contradicts it (attempt k while k+1 waits) wins. */
function jmStateOf({ status, schedulerMetadata }: WireJobReport): JmState | undefined {
  const word = (schedulerMetadata?.["slurm"] as { slurmState?: unknown } | undefined)?.slurmState;
  if (typeof word === "string") {
    const reading = readSlurmState(word);
    // COMPLETING without a status: which attempt is ending is not known.
    if (reading.phase === "unrecognised" || (reading.phase === "completing" && status === undefined)) return "UNKNOWN";
    if (status === undefined || reading.status === status) return reading.jmState;
  }
  return status === undefined ? undefined : ofStatus[status];
}

const ofStatus: Readonly<Record<JobStatus, JmState>> = {
  PENDING: "PENDING",
  RUNNING: "RUNNING",
  STOPPED: "REQUEUED",
  COMPLETED: "COMPLETED",
  FAILED: "FAILED",
  CANCELLED: "CANCELLED",
  DELETED: "UNKNOWN",
};
