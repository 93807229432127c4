/**
 * slurm-state: Slurm's words for the state of a job, read as ours. The only place that knows them.
 *
 * Takes        a word as `squeue -O State` prints it, e.g. `NODE_FAIL`. An open set: releases add to it.
 * Gives        what Slurm lets one do with the job (`phase`), and what its record shows (`status`, `jmState`).
 *              `unrecognised` keeps the last status; no Advice and no step follows from it (invariant 6).
 * Pure, total
 * Source       https://slurm.schedmd.com/job_state_codes.html; what 22.05 and 25.11 were seen to print.
 */
import type { JmState, JobStatus, SlurmJob } from "../nouns.ts";

/**
 * `pending`: constraints may be set, a hold released. `running`: it has an allocation. `completing`: its processes are
 * ending, and Slurm hides what comes next. `ended`: final, for this attempt.
 */
export type Phase = "pending" | "running" | "suspended" | "completing" | "ended" | "unrecognised";

export interface SlurmStateReading {
  readonly phase: Phase;
  /** Absent: the record keeps its last one. */
  readonly status?: JobStatus;
  readonly jmState: JmState;
}

export function readSlurmState(word: string): SlurmStateReading {
  // sacct says who cancelled: `CANCELLED by 1000`.
  return readings.get(word.replace(/^CANCELLED by \d+$/, "CANCELLED")) ?? unrecognised;
}

const unrecognised: SlurmStateReading = { phase: "unrecognised", jmState: "UNKNOWN" };
const pending: SlurmStateReading = { phase: "pending", status: "PENDING", jmState: "PENDING" };
const running: SlurmStateReading = { phase: "running", status: "RUNNING", jmState: "RUNNING" };
const ended = (status: JobStatus, jmState: JmState): SlurmStateReading => ({ phase: "ended", status, jmState });

/** A Map, not an object: an object would know a state called `toString`. */
const readings: ReadonlyMap<string, SlurmStateReading> = new Map<string, SlurmStateReading>([
  ["PENDING", pending],
  ["REQUEUED", pending],
  ["REQUEUE_HOLD", pending],
  ["EXPEDITING", pending],
  ["SPECIAL_EXIT", pending],
  // Its nodes are being made ready. The program has not started, but Slurm takes no constraints any more.
  ["CONFIGURING", { phase: "running", status: "PENDING", jmState: "PENDING" }],
  ["RUNNING", running],
  ["STAGE_OUT", running],
  ["RESIZING", running],
  ["SUSPENDED", { phase: "suspended", status: "RUNNING", jmState: "SUSPENDED" }],
  // Of which attempt, only `attempts-of.ts` can tell.
  ["COMPLETING", { phase: "completing", status: "RUNNING", jmState: "RUNNING" }],
  ["COMPLETED", ended("COMPLETED", "COMPLETED")],
  ["FAILED", ended("FAILED", "FAILED")],
  ["OUT_OF_MEMORY", ended("FAILED", "OUT_OF_MEMORY")],
  ["TIMEOUT", ended("FAILED", "TIMEOUT")],
  ["DEADLINE", ended("FAILED", "DEADLINE")],
  ["NODE_FAIL", ended("FAILED", "NODE_FAIL")],
  ["BOOT_FAIL", ended("FAILED", "BOOT_FAIL")],
  ["PREEMPTED", ended("STOPPED", "PREEMPTED")],
  ["REVOKED", ended("STOPPED", "REVOKED")],
  ["CANCELLED", ended("CANCELLED", "CANCELLED")],
]);

const phaseOf = (job: SlurmJob): Phase => readSlurmState(job.state).phase;

export const isPending = (job: SlurmJob): boolean => phaseOf(job) === "pending";
/** Has an allocation: running, suspended, or its nodes being made ready. */
export const isRunning = (job: SlurmJob): boolean => phaseOf(job) === "running" || phaseOf(job) === "suspended";
export const isCompleting = (job: SlurmJob): boolean => phaseOf(job) === "completing";
export const hasEnded = (job: SlurmJob): boolean => phaseOf(job) === "ended";
export const isUnrecognised = (job: SlurmJob): boolean => phaseOf(job) === "unrecognised";

/**
 * Ended, and without success and without anybody's wish: what `requeuehold` may bring back. Slurm itself would also
 * requeue a COMPLETED or CANCELLED job (rc 0): that must be refused here (invariant 8). A DEADLINE is the author's word.
 */
export const isRestartable = (job: SlurmJob): boolean => restartable.has(job.state);
const restartable: ReadonlySet<string> = new Set([
  "FAILED",
  "OUT_OF_MEMORY",
  "TIMEOUT",
  "NODE_FAIL",
  "BOOT_FAIL",
  "PREEMPTED",
]);

/**
 * Somebody holds it: recovery, its owner, an administrator, or Slurm. Also true of a job that runs or has ended under a
 * hold, since the hold stays for its successor. Constraints that cannot be met zero the priority too, but are no hold.
 */
export const isHeld = (job: SlurmJob): boolean => isHeldBySlurm(job) || (job.priority === 0 && !hasBadConstraints(job));

/**
 * Slurm itself holds it, after RequeueExitHold, or since an epilog of an expedited job failed nothing. The hold of a plain `requeuehold`, as
 * ours is, shows as PENDING; the reason may be the same.
 */
export const isHeldBySlurm = (job: SlurmJob): boolean => heldWords.has(job.state);
const heldWords: ReadonlySet<string> = new Set(["REQUEUE_HOLD", "SPECIAL_EXIT"]);

/**
 * The hold that a `requeuehold` laid was never lifted: whoever holds the job after a release is told in other words (JobHeldUser,
 * JobHeldAdmin). A slurmctld that has forgotten the release shows these words again. An administrator's hold laid over it does not change
 * them, and is told in JSON alone. Measured on 22.05; 25.11 and 26.05 print the same.
 */
export const isHeldSinceRequeue = ({ reason }: Pick<SlurmJob, "reason">): boolean =>
  reason.replaceAll("_", " ") === "job requeued in held state";

/** Slurm gave up on it: too many nodes are excluded, or a required one is. It stays so until its constraints change. */
export const hasBadConstraints = (job: SlurmJob): boolean => job.reason === "BadConstraints";
