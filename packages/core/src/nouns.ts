/**
 * nouns: the words of the domain as types. Everything else is a function between them.
 *
 * Keeps   One word, one thing: a name here is the name in SQL, on the wire and in the documents.
 * Source  ARCHITECTURE.md, "the nouns".
 */
import type { NodeDemand, NodeHardware } from "./fact/node-hardware.ts";

/** Milliseconds since the Unix epoch. Handed down from the edge; nothing in core reads a clock. */
export type Instant = number;

/** What a boundary may say. `absent` is knowledge; `unavailable` is the lack of it. */
export type Seen<T> =
  | { readonly kind: "seen"; readonly value: T; readonly at: Instant }
  | { readonly kind: "absent"; readonly at: Instant }
  | { readonly kind: "unavailable"; readonly why: string; readonly at: Instant };

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** `heimdall.v1.JobStatus` without its prefix. */
export type JobStatus = "PENDING" | "RUNNING" | "STOPPED" | "COMPLETED" | "FAILED" | "CANCELLED" | "DELETED";

/** The Job Manager's finer state. An open set on the wire; these are the ones we write. */
export type JmState =
  | "PENDING"
  | "RUNNING"
  | "SUSPENDED"
  | "COMPLETED"
  | "FAILED"
  | "OUT_OF_MEMORY"
  | "TIMEOUT"
  | "DEADLINE"
  | "NODE_FAIL"
  | "BOOT_FAIL"
  | "PREEMPTED"
  | "REVOKED"
  | "CANCELLED"
  | "REQUEUED"
  | "UNKNOWN";

/** Where a statement comes from: one line of a log, or one look at Slurm. */
export interface Evidence {
  /** `log`: a line of the job's own output; `node-log`: of a node's own log; `slurm`: a state that Slurm showed. */
  readonly source: "log" | "node-log" | "slurm";
  /** The line as it was read (cut at `limits.evidenceLineBytesMax`), or Slurm's words. */
  readonly line: string;
  /** The file, absolute. Absent for `slurm`, and for a node's line that came from no file. */
  readonly path?: string;
  /** Byte offset of the line's first byte in that file. */
  readonly offset?: number;
  /** When the line was read, the node wrote it, or the state was seen. */
  readonly at: Instant;
}

export type Domain = "workload" | "hardware" | "network" | "storage" | "scheduler" | "unknown";

/** The classes of design §6; each has one row in `decide/cause-class.ts`. */
export type CauseClass =
  | "hardware-node"
  | "hardware-unnamed"
  | "network-pair"
  | "scheduler"
  | "time-limit"
  | "unexplained"
  | "workload-transient"
  | "workload-deterministic"
  | "process-killed"
  | "numerics"
  | "storage-shared"
  | "storage-local"
  | "hang"
  | "slowdown"
  | "teardown"
  | "never-retry";

export type SignalKind =
  | "crash"
  | "hang"
  | "slowdown"
  | "numerics"
  | "progress"
  | "checkpoint-saved"
  | "resumed"
  | "finished";

/** A dated statement by the Watcher about one attempt. */
export interface Signal {
  readonly kind: SignalKind;
  /** When the line was read; the watcher reads within a second of the write. Of a node's line when the node wrote it. */
  readonly at: Instant;
  readonly evidence: Evidence;
  /** The signature that matched, e.g. `cuda-ecc-uncorrectable`. Absent for progress. */
  readonly cause?: string;
  readonly causeClass?: CauseClass;
  readonly domain?: Domain;
  /** True: may be the root cause. False: a consequence, kept as evidence, never the root. */
  readonly root: boolean;
  /** True: the program cannot go on after this line, whether or not it has exited. */
  readonly exitIndependent: boolean;
  /** Nodes that the line itself names, or that its rank maps to. Empty: it names none. */
  readonly nodes: readonly string[];
  readonly rank?: number;
  /** The training step (`progress`, `checkpoint-saved`, `resumed`), or the last one before a crash. */
  readonly step?: number;
  /** What a detector measured, for a person: "no step for 31 min". Absent for what a line says by itself. */
  readonly detail?: string;
  /** When the server took it in, by its own clock. Absent where there is no server. */
  readonly recordedAt?: Instant;
}

export interface DagDependency {
  readonly jobId?: string;
  readonly jobName?: string;
  readonly trigger: "on_success" | "on_failure" | "on_completion" | "on_start";
}

/** The job author's wishes: the recovery comment, parsed. Defaults in `policy/recovery-comment.ts`. */
export interface Policy {
  readonly autoResumeMode: "off" | "requeue" | "singleton_dependency";
  readonly workflowId?: string;
  readonly workflowName?: string;
  readonly maxRequeueTimes: number;
  readonly maxFailuresWithoutProgress: number;
  readonly maxRecoveryHours?: number;
  readonly charge: "all" | "workload";
  readonly requeueOnCompletion: boolean;
  readonly anomalyDetection: {
    readonly logBasedCrash: boolean;
    readonly logBasedTimeout: boolean;
    readonly pretrainingTimeoutSeconds: number;
    readonly trainingLoopTimeoutSeconds: number;
    readonly slowdown: boolean;
  };
  /** Absent: Slurm's own stdout and stderr. */
  readonly logPaths?: readonly string[];
  /** Absent: learnt from what the file did at the restart. */
  readonly logFilePathsSharedAcrossAttempts?: boolean;
  readonly dagDependencies: readonly DagDependency[];
  readonly dagAction: "terminate_dependents" | "keep_held";
  readonly environment?: string;
  readonly excludeNodes: readonly string[];
  readonly includeNodes: readonly string[];
  readonly enableNvrx: boolean;
}

/** Whether recovery may touch a job, and if not, exactly why. */
export type Coverage =
  | { readonly kind: "covered"; readonly policy: Policy; readonly warnings: readonly string[] }
  | {
      readonly kind: "not-covered";
      /** A whole sentence, shown to the author as it stands. */
      readonly because: string;
      /** Where in the comment: 0-based offset in UTF-16 units. Absent when no place is to blame. */
      readonly position?: number;
    };

/** `schedulerMetadata.slurm`: what SAC saw of one attempt in Slurm. Field names are the wire's. */
export interface SlurmFacts extends NodeDemand {
  readonly cluster: string;
  readonly submitTime: Instant;
  readonly startTime?: Instant;
  readonly endTime?: Instant;
  readonly user: string;
  readonly partition: string;
  readonly account?: string;
  readonly qos?: string;
  /** Its job gets no other nodes than the reservation's. */
  readonly reservation?: string;
  /** `--constraint`: the features that it asks of its nodes. */
  readonly constraint?: string;
  /** Slurm's own word, as printed. */
  readonly slurmState: string;
  readonly reason: string;
  readonly exitCode: number;
  readonly signal: number;
  readonly requeueable: boolean;
  readonly batch: boolean;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly workDir?: string;
  readonly command?: string;
  readonly excludedNodes: readonly string[];
  /** Slurm's own number of the record: what `%j` in a log path means, also for a task of an array. */
  readonly recordId?: string;
  readonly arrayJobId?: string;
  readonly arrayTaskId?: string;
  readonly hetComponents?: readonly string[];
  readonly dependency?: string;
  /** Jobs that Slurm makes wait for this one, when it was last seen; not more than `limits.dependentsToldMax`. */
  readonly dependents?: readonly string[];
  readonly restartDelayUntil?: Instant;
  readonly sluid?: string;
}

/** One execution attempt as the server keeps it: a *Job* on the wire. */
export interface AttemptRecord {
  readonly heimdallJobId: string;
  readonly cluster: string;
  readonly jobId: string;
  readonly attemptIndex: number;
  /** 0 for the first use of this job ID, raised by one each time Slurm reissues it. */
  readonly incarnation: number;
  readonly workflowId: string;
  readonly jobName?: string;
  readonly nodes: readonly string[];
  readonly gpuCountPerNode?: number;
  /** What was observed in the scheduler; what is desired stands in Advice. */
  readonly nodeConstraints: { readonly exclusions: readonly string[]; readonly inclusions: readonly string[] };
  readonly additionalProperties?: { readonly maxRequeueTimes?: number; readonly enableNvrx?: boolean };
  readonly status: JobStatus;
  readonly jmState: JmState;
  readonly schedulerMetadata: JsonObject;
  /** `heimdall.v1.JobRecoveryConfig` in its JSON form, as given. */
  readonly recoveryConfig?: JsonObject;
  /** Fixed at first sight: an edited comment counts from the next attempt on. */
  readonly coverage: Coverage;
  /** First time it was seen running. Absent: it has never started, as far as anybody saw. */
  readonly startedAt?: Instant;
  /** First time it was seen in a final state. */
  readonly endedAt?: Instant;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly lastSeenAt: Instant;
}

/** How far the training of one attempt came, folded from progress signals. */
export interface Progress {
  readonly firstStep?: number;
  readonly firstStepAt?: Instant;
  readonly lastStep?: number;
  readonly lastStepAt?: Instant;
  /** The longest recent time between two signs of a step (ms). Absent until two were seen. */
  readonly stepSpacingMs?: number;
  readonly checkpointStep?: number;
  readonly checkpointAt?: Instant;
  /** The step named when a checkpoint was loaded or the first step was printed after a restart. */
  readonly resumedFromStep?: number;
  readonly resumedAt?: Instant;
  /** The watcher had read every log file of the attempt up to its end at this instant. */
  readonly logReadAt?: Instant;
  /** The attempt is over and its logs were read to their end. */
  readonly logEndedAt?: Instant;
}

export type DesiredState = "RESTARTED" | "TERMINATED" | "RELEASED";

/** A node the successor must keep away from. Invariant 11: it never comes without its reason and its end. */
export interface Exclusion {
  readonly node: string;
  readonly reason: string;
  readonly evidence: readonly Evidence[];
  /** 0..1; the weakest goes first when too few nodes would remain. */
  readonly confidence: number;
  readonly expiresAt: Instant;
}

export interface Issue {
  readonly kind: SignalKind | "exit";
  readonly domain: Domain;
  readonly cause: string;
  readonly causeClass: CauseClass;
  readonly summary: string;
  readonly nodes: readonly string[];
  readonly evidence: readonly Evidence[];
  readonly detectedAt: Instant;
}

export type Disposition = "PENDING" | "CONVERGED" | "ABANDONED";
/** `heimdall.v1.AdviceReconciliationReason` without its prefix. */
export type ReconciliationReason =
  | "UNSPECIFIED"
  | "DESIRED_STATE_OBSERVED"
  | "ALREADY_SATISFIED"
  | "ADVICE_EXPIRED"
  | "SUPERSEDED"
  | "TARGET_GONE"
  | "JOB_ENDED"
  | "ACTION_REFUSED"
  | "HELD_BY_OTHERS"
  | "OBSERVE_MODE"
  | "STARTED_UNCONSTRAINED"
  | "WITHDRAWN"
  | "RELEASED_BY_WATCHDOG";

export interface ReconciliationStatus {
  /** The generation of the Advice that was looked at. */
  readonly observedGeneration: number;
  readonly disposition: Disposition;
  readonly reason: ReconciliationReason;
  readonly message: string;
  readonly observedAt: Instant;
}

/** A Decision made durable for exactly one source attempt. A changed mind is a new generation. */
export interface Advice {
  /** The source attempt. */
  readonly heimdallJobId: string;
  readonly cluster: string;
  readonly jobId: string;
  readonly attemptIndex: number;
  readonly workflowId: string;
  readonly generation: number;
  readonly desired: DesiredState;
  readonly exclusions: readonly Exclusion[];
  readonly issues: readonly Issue[];
  /** The code of the rule that answered, e.g. `hardware-node`. */
  readonly because: string;
  /** The same for a person: one or two sentences. */
  readonly sentence: string;
  /** Back-off before the successor may start, counted from the requeue. 0: at once. */
  readonly startDelayMs: number;
  /** Whether this restart counts against `max_requeue_times`. */
  readonly charged: boolean;
  /** Of the root, for the no-progress budget: class, normalised message, step, node. */
  readonly rootKey: string;
  readonly status: ReconciliationStatus;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly expiresAt: Instant;
  readonly withdrawnAt?: Instant;
}

/** Advice that somebody should still carry out. */
export function isActive(advice: Advice, now: Instant): boolean {
  return advice.status.disposition === "PENDING" && advice.withdrawnAt === undefined && now < advice.expiresAt;
}

/** One row of `squeue`: one scheduler job as Slurm shows it now. */
export interface SlurmJob extends NodeDemand {
  /** `123`, or `95_1` for a task of an array. The name by which commands address it. */
  readonly jobId: string;
  /** Slurm's own number of the record (for `95_1` something like 97). */
  readonly recordId: string;
  readonly name: string;
  readonly user: string;
  readonly partition: string;
  readonly account?: string;
  readonly qos?: string;
  /** Its job gets no other nodes than the reservation's. */
  readonly reservation?: string;
  /** `--constraint`: the features that it asks of its nodes. */
  readonly constraint?: string;
  /** Slurm's word, an open set. Read it through `fact/slurm-state.ts` only. */
  readonly state: string;
  readonly reason: string;
  readonly restartCount: number;
  /** `PriorityLong`; 0 = held. */
  readonly priority: number;
  readonly submitAt: Instant;
  readonly startAt?: Instant;
  readonly endAt?: Instant;
  readonly exitCode: number;
  readonly signal: number;
  /** Expanded host names; empty while pending. */
  readonly nodes: readonly string[];
  /** Expanded `ExcNodeList`. */
  readonly excludedNodes: readonly string[];
  /** Expanded `ReqNodeList`. */
  readonly requiredNodes: readonly string[];
  readonly nodeCount: number;
  readonly gpusPerNode?: number;
  readonly comment: string;
  readonly adminComment: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly workDir?: string;
  readonly command?: string;
  readonly dependency?: string;
  /** Who waits for it by Slurm's own dependency, where that was looked for. */
  readonly dependents?: readonly string[];
  readonly batch: boolean;
  readonly requeueable: boolean;
  readonly arrayJobId?: string;
  readonly arrayTaskId?: string;
  /** The leader's job ID for every component of a heterogeneous job, the leader included. */
  readonly hetJobId?: string;
  /** Of a leader that stands for all: the rows' job IDs (`fact/heterogeneous.ts`). */
  readonly hetComponents?: readonly string[];
  readonly sluid?: string;
}

export interface SlurmNode {
  readonly name: string;
  /** Slurm's word, e.g. `idle`, `allocated`, `down*`, `drained`. */
  readonly state: string;
  /** True unless down, drained, draining, failing, not responding or reserved for maintenance. */
  readonly isEligible: boolean;
  readonly partitions: readonly string[];
  /** Those that it has now, of those that it may be rebooted into. */
  readonly features: readonly string[];
  /** That hold it now. Absent: Slurm does not show us reservations. */
  readonly reservations?: readonly string[];
  /** Absent: it is not known. */
  readonly hardware?: NodeHardware;
}

/** A row of a pass with a value that is not understood. */
export interface UnreadableRow {
  readonly why: string;
  /** What of it is plain text, and says to which others the job belongs. Absent: nothing; it may belong to any. */
  readonly shown?: Pick<SlurmJob, "user" | "name" | "hetJobId" | "dependency" | "arrayTaskId">;
}

/** One pass over Slurm: every job it still knows, and its nodes. */
export interface SlurmView {
  readonly cluster: string;
  readonly jobs: ReadonlyMap<string, SlurmJob>;
  readonly nodes: ReadonlyMap<string, SlurmNode>;
  /**
   * Jobs that Slurm has but whose row could not be read, by ID. They are not in `jobs`, and they are not gone:
   * nothing may be concluded about them from this pass, nor about whom they belong to.
   */
  readonly unreadable: ReadonlyMap<string, UnreadableRow>;
}
