/**
 * report: what SAC publishes of one attempt.
 *
 * In the loop   view → **report** → server
 * Pure, total
 * Keeps         invariant 7: a job without a readable policy is published with the reason, and never with a default policy.
 * Source        design §4, "what SAC publishes of a job"; api.md §2.
 */
import type { AttemptSight } from "@reprise/core/fact/attempts-of.ts";
import { resolveWorkflowId } from "@reprise/core/identity/workflow-id.ts";
import type { Coverage, JsonObject, SlurmFacts, SlurmJob } from "@reprise/core/nouns.ts";
import { effectivePolicy } from "@reprise/core/policy/effective-policy.ts";
import { jobWarnings } from "@reprise/core/policy/job-warnings.ts";
import { parseRecoveryComment } from "@reprise/core/policy/recovery-comment.ts";
import { present } from "@reprise/protocol/wire/check.ts";
import type { AttemptReport } from "./server.ts";

/** A cheap look: most jobs of a cluster never heard of recovery. */
export function mentionsRecovery(comment: string): boolean {
  return /recovery|APS/.test(comment);
}

export interface ReportSite {
  readonly cluster: string;
  readonly environment?: string;
}

export function reportOf(sight: AttemptSight, job: SlurmJob, site: ReportSite): AttemptReport {
  const { coverage, recovery } = readingOf(job.comment, site);
  const policy = coverage.kind === "covered" ? coverage.policy : undefined;
  return {
    workflowId: resolveWorkflowId({
      workflowId: policy?.workflowId,
      workflowName: policy?.workflowName,
      jobName: job.name,
      jobId: job.jobId,
    }),
    jobId: sight.jobId,
    attemptIndex: sight.attemptIndex,
    jobName: job.name,
    nodes: sight.nodes,
    ...(job.gpusPerNode === undefined ? {} : { gpuCountPerNode: job.gpusPerNode }),
    exclusions: job.excludedNodes,
    inclusions: job.requiredNodes,
    ...(sight.status === undefined ? {} : { status: sight.status }),
    schedulerMetadata: {
      slurm: present(slurmFacts(sight, job, site.cluster)) as JsonObject, // JSON has no undefined.
      recovery: policy === undefined ? recovery : withWarnings(recovery, jobWarnings(policy, job)),
    },
    ...(policy === undefined ? {} : { policy }),
  };
}

/** Of attempt k while Slurm already counts k+1, only what is still its own: the row's times are the next attempt's. */
function slurmFacts(sight: AttemptSight, job: SlurmJob, cluster: string): Partial<SlurmFacts> {
  const isCurrent = sight.attemptIndex === job.restartCount;
  return {
    cluster,
    submitTime: sight.submitAt,
    startTime: isCurrent && sight.status !== "PENDING" ? job.startAt : undefined,
    endTime: isCurrent && sight.status !== "PENDING" && sight.status !== "RUNNING" ? job.endAt : undefined,
    restartDelayUntil: sight.status === "PENDING" ? job.startAt : undefined,
    user: job.user,
    partition: job.partition,
    account: job.account,
    qos: job.qos,
    reservation: job.reservation,
    constraint: job.constraint,
    cpusPerNode: job.cpusPerNode,
    memoryMbPerNode: job.memoryMbPerNode,
    gresPerNode: job.gresPerNode,
    slurmState: sight.status === "PENDING" && job.state === "COMPLETING" ? "PENDING" : job.state,
    reason: job.reason,
    exitCode: job.exitCode,
    signal: job.signal,
    requeueable: job.requeueable,
    batch: job.batch,
    stdout: job.stdout,
    stderr: job.stderr,
    workDir: job.workDir,
    command: job.command,
    excludedNodes: job.excludedNodes,
    recordId: sharesRecord(sight, job) ? "" : job.recordId, // Said, so that one reported before is not kept.
    arrayJobId: job.arrayJobId,
    arrayTaskId: job.arrayTaskId,
    hetComponents: job.hetComponents,
    dependency: job.dependency,
    dependents: job.dependents,
    sluid: isCurrent ? job.sluid : undefined,
  } as Partial<SlurmFacts>;
}

/** Tasks that have not started share the array's record; which one keeps it is decided then. Its number names no task's log (`%j`) before. */
const sharesRecord = (sight: AttemptSight, job: SlurmJob) =>
  sight.status === "PENDING" && job.arrayJobId !== undefined && job.recordId === job.arrayJobId;

interface Reading {
  readonly coverage: Coverage;
  /** What is published of it. */
  readonly recovery: JsonObject;
}

/** By environment and comment. Each attempt of a job, and each task of an array, has the same one. */
const readings = new Map<string, Reading>();
const [readingsMax, commentCharsMax] = [1_000, 4_096];

function readingOf(comment: string, site: ReportSite): Reading {
  const key = `${site.environment ?? ""}\n${comment}`;
  const known = readings.get(key);
  if (known !== undefined) return known;
  const coverage = parseRecoveryComment(comment, site);
  const reading = { coverage, recovery: recoveryFacts(comment, coverage, site) };
  if (readings.size >= readingsMax) readings.clear();
  if (comment.length <= commentCharsMax) readings.set(key, reading);
  return reading;
}

function recoveryFacts(comment: string, coverage: Coverage, site: ReportSite): JsonObject {
  if (coverage.kind === "not-covered") {
    const { because, position } = coverage;
    return { comment, notCovered: position === undefined ? { because } : { because, position } };
  }
  const { warnings } = coverage;
  return { comment, ...(warnings.length === 0 ? {} : { warnings }), policy: effectivePolicy({ comment }, site) ?? {} };
}

function withWarnings(recovery: JsonObject, more: readonly string[]): JsonObject {
  if (more.length === 0) return recovery;
  const { warnings = [] } = recovery as { readonly warnings?: readonly string[] };
  return { ...recovery, warnings: [...warnings, ...more] };
}
