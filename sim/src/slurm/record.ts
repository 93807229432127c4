/**
 * record: what slurmctld keeps of a job and of a node, in this model.
 *
 * Keeps    a job's state is a base state and the flag COMPLETING, as in slurmctld: while processes live the flag hides the base.
 *          Times are ms but always whole seconds, as Slurm's are. 0 is "not set".
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { ProgramSpec } from "./sim-slurm.ts";

export type BaseState =
  | "PENDING"
  | "RUNNING"
  | "SUSPENDED"
  | "COMPLETED"
  | "FAILED"
  | "CANCELLED"
  | "TIMEOUT"
  | "NODE_FAIL"
  | "PREEMPTED"
  | "DEADLINE"
  | "OUT_OF_MEMORY";

export type Hold = "user" | "admin" | "launch" | "constraints";

export interface Dependency {
  readonly kind: "after" | "afterany" | "afterok" | "afternotok" | "aftercorr" | "singleton";
  /** Absent for a singleton. */
  readonly target?: DependencyTarget;
  readonly hasFailed: boolean;
}

/** `12`, an array `12_*`, or a task `12_3`. */
export interface DependencyTarget {
  readonly jobId: number;
  readonly taskId?: number;
  readonly isArray?: boolean;
}

/** Read it freely; change it only after `ledger.change(job)`. */
export interface JobRecord {
  readonly recordId: number;
  readonly arrayJobId: number | undefined;
  /** Of a task that has its own record. */
  taskId: number | undefined;
  /** Of an array's first record: the tasks that have not been split off. */
  unsplit: readonly number[];
  readonly arrayRunningMax: number | undefined;
  readonly hetJobId: number | undefined;

  readonly name: string;
  readonly user: string;
  readonly account: string;
  readonly partitionsAsked: readonly string[];
  /** All that were asked, while it is pending; the one it got, from its start on. */
  partition: string;
  readonly nodeCount: number;
  readonly cpusPerNode: number;
  readonly gpusPerNode: number;
  /** Empty: any. */
  readonly gpuType: string;
  /** 0: none is asked for. */
  readonly memoryMbPerNode: number;
  readonly exclusive: boolean;
  readonly batch: boolean;
  readonly output: string;
  readonly error: string;
  readonly workDir: string;
  readonly command: string;
  readonly timeLimitMs: number | undefined;
  /** 0: none. */
  readonly deadlineAt: Instant;
  readonly killOnInvalidDep: boolean;
  readonly reservation: string | undefined;
  /** As squeue prints it. Empty: none. */
  readonly constraint: string;
  /** The one that it needs one of. */
  readonly license: string | undefined;
  readonly program: ProgramSpec;

  base: BaseState;
  completing: boolean;
  /** Flags of a job that is pending again, which squeue shows in PENDING's place. */
  shownAs: "SPECIAL_EXIT" | "REQUEUE_HOLD" | "EXPEDITING" | undefined;
  /** The text of Reason, unless `description` covers it. */
  reason: string;
  description: string;
  priority: number;
  hold: Hold | undefined;
  restartCount: number;
  /** Of this attempt: a requeue makes a new one when the job is PENDING again. Empty where the release has none. */
  sluid: string;
  requeue: boolean;
  /** `sbatch --requeue=expedite`. */
  readonly expedited: boolean;
  submitAt: Instant;
  beginAt: Instant;
  startAt: Instant;
  endAt: Instant;
  /** Which life of slurmctld saw it end. */
  endedIn: number;
  exitCode: number;
  signal: number;
  nodes: readonly string[];
  excluded: readonly string[];
  required: readonly string[];
  dependency: readonly Dependency[];
  comment: string;
  adminComment: string;
  /** The processes of its last start. 0: never started. */
  run: number;
  /** Some run of it has. Of a task the array remembers it, whatever its restart makes of it. */
  hasEverFailed: boolean;
  suspendedPriority: number;
  /** The ledger's, at its last change. */
  revision: number;
}

export interface NodeRecord {
  readonly name: string;
  readonly cpus: number;
  readonly gpus: number;
  readonly gpuType: string;
  readonly memoryMb: number;
  readonly partitions: readonly string[];
  readonly features: readonly string[];
  isDown: boolean;
  isDrained: boolean;
  reason: string;
  /** Its slurmd answers. The truth, which slurmctld finds out late. */
  isAlive: boolean;
  /** So many next starts fail in the prolog, and so many next ends in the epilog. */
  prologFailures: number;
  epilogFailures: number;
}

export const finalStates: ReadonlySet<BaseState> = new Set([
  "COMPLETED",
  "FAILED",
  "CANCELLED",
  "TIMEOUT",
  "NODE_FAIL",
  "PREEMPTED",
  "DEADLINE",
  "OUT_OF_MEMORY",
]);

export const isFinal = (job: JobRecord) => finalStates.has(job.base);
/** It has processes, or is thought to. */
export const isActive = (job: JobRecord) => job.base === "RUNNING" || job.base === "SUSPENDED";
export const hasAllocation = (job: JobRecord) => isActive(job) || job.completing;

/** The word that squeue prints. */
export function stateWord(job: JobRecord): string {
  if (job.completing) return "COMPLETING";
  return job.base === "PENDING" ? (job.shownAs ?? job.base) : job.base;
}

/** `123` or `95_1`; of an array's unsplit rest the array's own number. */
export function nameOf(job: JobRecord): string {
  return job.taskId === undefined ? String(job.recordId) : `${job.arrayJobId}_${job.taskId}`;
}

/** A component of a heterogeneous job that another one leads. */
export const isLed = ({ hetJobId, recordId }: JobRecord): boolean => hetJobId !== undefined && hetJobId !== recordId;

export const wholeSecond = (at: Instant): Instant => Math.floor(at / 1000) * 1000;

export function showDependency(job: JobRecord): string {
  return job.dependency
    .map(({ kind, target, hasFailed }) => {
      const task = target?.isArray === true ? "_*" : target?.taskId === undefined ? "" : `_${target.taskId}`;
      const of = target === undefined ? "" : `:${target.jobId}${task}`;
      return `${kind}${of}(${hasFailed ? "failed" : "unfulfilled"})`;
    })
    .join(",");
}
