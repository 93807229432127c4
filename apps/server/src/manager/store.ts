/**
 * store: what the Job Manager asks of its database. The contract; `store/store.contract.ts` is its suite.
 *
 * In the loop   report → **store** → facts → decide → **store** → Advice
 * Keeps         Advice and history are never overwritten (a change is a new generation); every write about an
 *               attempt is fenced by that attempt; Advice, its history row and its audit row are one transaction.
 * Fails         An expected no is a `Refusal` from `@reprise/core`. A database error comes as it is; one that is away is `unavailable`.
 * Bodies        PGlite (`store/embedded`) and PostgreSQL 15 (`store/postgres`): same SQL, same migrations. `store/memory`: for the
 *               simulator and for tests; the same answers, compared call by call.
 */
import type { NodeHardware } from "@reprise/core/fact/node-hardware.ts";
import type {
  Advice,
  AttemptRecord,
  Coverage,
  Instant,
  JmState,
  JobStatus,
  JsonObject,
  Progress,
  ReconciliationStatus,
  Signal,
} from "@reprise/core/nouns.ts";
import type { Decision } from "@reprise/core/decide/decision.ts";
import type { ModeReport } from "@reprise/core/mode/cluster-orders.ts";
import type { Override } from "@reprise/core/override/override.ts";
import type { TargetLines } from "./node-log-store.ts";
import type { PassState, SlurmRelease } from "./pass-state.ts";
import type { StoreParts } from "./store-parts.ts";

/** One report about one attempt. An absent field keeps what is stored; an empty list too (api.md §4). */
export interface JobReport {
  readonly cluster: string;
  readonly heimdallJobId?: string;
  readonly jobId?: string;
  readonly attemptIndex: number;
  readonly workflowId: string;
  readonly jobName?: string;
  readonly nodes?: readonly string[];
  readonly gpuCountPerNode?: number;
  readonly nodeConstraints?: { readonly exclusions: readonly string[]; readonly inclusions: readonly string[] };
  readonly additionalProperties?: { readonly maxRequeueTimes?: number; readonly enableNvrx?: boolean };
  readonly status?: JobStatus;
  readonly jmState?: JmState;
  readonly schedulerMetadata?: JsonObject;
  readonly recoveryConfig?: JsonObject;
  /** Computed by the caller from the report; kept from the first sight of the attempt. */
  readonly coverage: Coverage;
  /** Slurm's submit time and owner, where the report has them: the incarnation is found by them. */
  readonly submitAt?: Instant;
  readonly user?: string;
  readonly command?: string;
  readonly sluid?: string;
}

export interface StepRecord {
  readonly key: string;
  readonly heimdallJobId: string;
  readonly jobId: string;
  readonly attemptIndex: number;
  readonly generation: number;
  readonly action: string;
  readonly begunAt: Instant;
  readonly endedAt?: Instant;
  readonly outcome: string;
  readonly detail: string;
}

export interface NodeRecord {
  readonly name: string;
  readonly state: string;
  readonly isEligible: boolean;
  readonly partitions: readonly string[];
  /** Absent: not known. */
  readonly features?: readonly string[];
  /** That hold it now. Absent: not known. */
  readonly reservations?: readonly string[];
  /** Absent: not known. */
  readonly hardware?: NodeHardware;
}

export interface PassReport {
  readonly cluster: string;
  readonly leaseTerm: number;
  /** By the clock of the reporter: it orders passes, and is never compared with ours. */
  readonly takenAt: Instant;
  /** Taken no earlier than this, by the server's clock. Absent: the reporter does not know. */
  readonly takenAfter?: Instant;
  /** Present: Slurm could not be read; then everything below is empty and changes nothing. */
  readonly unavailable?: string;
  readonly complete: boolean;
  readonly changed: readonly JobReport[];
  readonly seen: readonly { readonly jobId: string; readonly attemptIndex: number }[];
  readonly nodes: readonly NodeRecord[];
  readonly steps: readonly StepRecord[];
  /** As they are in force. */
  readonly mode: string;
  readonly partitions: readonly string[];
  /** Absent: a SAC that takes no orders about the cluster. */
  readonly sac?: ModeReport;
  /** Absent: Slurm did not say, or the reporter does not tell. */
  readonly slurm?: SlurmRelease;
  /** Of this very report. Absent: nobody asks later whether it is still there. */
  readonly reportId?: string;
}

export interface PassAnswer {
  readonly heimdallJobIds: readonly string[];
  readonly confirmedStepKeys: readonly string[];
  readonly isTaken: boolean; // False, and only its steps were recorded: a later pass was first, or another SAC has the lease.
}

export interface StoredSignal extends Signal {
  readonly key: string;
  readonly heimdallJobId: string;
  readonly stepSpacingMs?: number;
  /** When the server took it in. */
  readonly recordedAt: Instant;
}

export interface LogPosition {
  readonly heimdallJobId: string;
  readonly path: string;
  readonly device: string;
  readonly inode: string;
  readonly offset: number;
  readonly start: number;
  readonly readAt?: Instant;
  readonly ended: boolean;
  readonly unreadable?: string;
  /** The watcher's own; handed to whoever reads the attempt next. */
  readonly memory?: string;
}

export interface SignalReport {
  readonly reporter: string;
  readonly signals: readonly Omit<StoredSignal, "recordedAt">[];
  readonly positions: readonly LogPosition[];
  /** `Target.nodeLinesNumber` of attempts whose lines have been read up to it. Absent: none was. */
  readonly nodeLinesRead?: readonly { readonly heimdallJobId: string; readonly number: number }[];
}

export interface Target extends TargetLines {
  readonly attempt: AttemptRecord;
  readonly ended: boolean;
  readonly positions: readonly LogPosition[];
  /** Of earlier attempts, in their order. `ended` only of the one right before: after any other's end more may have been written by the next. */
  readonly earlier: readonly LogPosition[];
  /** Another one whenever anything in here but `positions`, which its reader itself moves, may be different. */
  readonly version: string;
}

export interface TargetClaim {
  readonly watcher: string;
  /** Targets to hold in all. */
  readonly limit: number;
  readonly renew: readonly string[];
  readonly release: readonly string[];
  /** Versions of those of `renew` that the watcher still has in its memory. Absent: none. */
  readonly known?: ReadonlyMap<string, string>;
}

/** All that a watcher holds now. */
export interface ClaimedTargets {
  /** In the order of their creation. */
  readonly targets: readonly Target[];
  /** Renewed, and of the version that the watcher knows; in the order of their UUIDs. */
  readonly unchanged: readonly string[];
}

/** Everything that a decision about one attempt may use, read in one transaction. */
export interface AttemptFacts {
  /** Raised by every report that changed anything; a decision about an older one is stale. */
  readonly factsSeq: number;
  readonly attempt: AttemptRecord;
  readonly progress: Progress;
  /** At most `limits.situationSignalsMax`, roots before consequences, earliest first. Never progress. */
  readonly signals: readonly StoredSignal[];
  readonly advice?: Advice;
  /** Attempts of the same incarnation before this one, oldest first, with their own Advice and signals. */
  readonly earlier: readonly EarlierAttempt[];
  /** The attempt with the next higher index, when one was seen. */
  readonly successor?: AttemptRecord;
  readonly overrides: readonly Override[]; // Orders about this job, oldest first.
  readonly pass?: PassState;
  readonly nodes: readonly NodeRecord[];
  readonly now: Instant;
}

export interface EarlierAttempt {
  readonly attempt: AttemptRecord;
  readonly progress: Progress;
  readonly signals: readonly StoredSignal[];
  readonly advice?: Advice;
  /** SAC reported a requeue of it that was, or may have been, carried out; or a restart of it was open when the lease changed hands. */
  readonly requeuedByUs: boolean;
  /** Only of a cancelled attempt: SAC cancelled it, or may have. */
  readonly cancelledByUs?: boolean;
  /** In any generation of its Advice, whatever became of it: Slurm's hold for a failed launch was to be lifted. */
  readonly launchReleaseAdvised: boolean;
}

export interface StoredDecision {
  readonly decision: Decision;
  readonly decidedAt: Instant;
}

export interface JobFilter {
  readonly workflowIds?: readonly string[];
  readonly jobIds?: readonly string[];
  readonly jmState?: string;
  /** All non-final attempts and failure-like final ones; without COMPLETED and REQUEUED. */
  readonly reconciliationEligible?: boolean;
  /** false: non-final attempts; true: final ones. */
  readonly completed?: boolean;
  readonly endTimeFrom?: Instant;
  /** Exclusive. */
  readonly endTimeTo?: Instant;
}

/** Rows `offset`…`offset + limit - 1` of a listing. */
export interface Slice {
  readonly offset: number;
  readonly limit: number;
}
export interface Page<T> {
  readonly rows: readonly T[];
  readonly hasMore: boolean;
  /** Where the next page begins, when nobody has the places right behind this one. Absent: at `offset + limit`. */
  readonly nextOffset?: number;
}

export interface WorkflowRecord {
  readonly workflowId: string;
  readonly name?: string;
  readonly startAt?: Instant;
  readonly endAt?: Instant;
}

export interface WorkRecord {
  readonly advice: Advice;
  readonly source: AttemptRecord;
  readonly logEnded: boolean;
  /** When a watcher last said how far it had read all of the log, by the server's clock. Absent: nobody has ever. */
  readonly logHeardAt?: Instant;
  /** The last decision about the source knew all that is known now, and how Slurm shows it: the Advice is what is wanted now. */
  readonly isDecided: boolean;
}

export interface Lease {
  readonly isHeld: boolean;
  readonly term: number;
  readonly holder: string;
  readonly expiresAt: Instant;
}

export interface Change {
  /** `anew`: some were not told; whoever relies on them looks at everything. */
  readonly kind: "advice" | "job" | "signal" | "status" | "order" | "anew";
  /** Empty for `order`, which is about a cluster, and for `anew`. */
  readonly heimdallJobId: string;
}

export interface Store extends StoreParts {
  /**
   * One report about one attempt (upsert, api.md §4). Safe to repeat. Those about one attempt are taken in as they came. Refuses
   * `exists` for another UUID of a known attempt.
   */
  upsertJob(report: JobReport, now: Instant): Promise<AttemptRecord>;
  /** A whole pass in one transaction: upserts, last-seen in bulk, what is gone, nodes, steps. Safe to repeat. */
  reportPass(report: PassReport, now: Instant): Promise<PassAnswer>;
  passState(cluster: string): Promise<PassState | undefined>;

  getJobByUuid(heimdallJobId: string): Promise<AttemptRecord | undefined>;
  /** The newest incarnation of that job ID. */
  getJobByAttempt(cluster: string, jobId: string, attemptIndex: number): Promise<AttemptRecord | undefined>;
  /** Creation time ascending, ties by UUID. */
  listJobs(filter: JobFilter, slice: Slice): Promise<Page<AttemptRecord>>;
  /** Attempt index ascending within an incarnation, incarnations oldest first. */
  listJobsBySchedulerId(jobId: string, slice: Slice): Promise<Page<AttemptRecord>>;
  listWorkflows(slice: Slice): Promise<Page<WorkflowRecord>>;
  getWorkflow(workflowId: string): Promise<WorkflowRecord | undefined>;

  /** Signals and positions in one transaction. A signal known by (attempt, key) is not recorded again. */
  recordSignals(report: SignalReport, now: Instant): Promise<{ readonly recorded: number; readonly repeated: number }>;
  /**
   * Covered attempts that run, or that ended and whose logs, or lines of whose nodes, have not been read to their end, under a lease
   * of `leaseMs`. Renews `renew`, gives back `release`, claims up to `limit` in all.
   */
  claimTargets(ask: TargetClaim, leaseMs: number, now: Instant): Promise<ClaimedTargets>;

  /** Newest generation of each, newest first, ties by UUID. `before` continues after the last row of a page. */
  listAdvice(
    filter: { readonly onlyActive: boolean },
    slice: {
      readonly before?: { readonly createdAt: Instant; readonly heimdallJobId: string };
      readonly limit: number;
    },
    now: Instant,
  ): Promise<Page<Advice>>;
  getAdvice(heimdallJobId: string): Promise<Advice | undefined>;
  /** The rules of api.md §2: refuses `precondition` above the stored generation, keeps history below it. */
  observeStatus(heimdallJobId: string, status: ReconciliationStatus, now: Instant): Promise<Advice>;
  /** Open Advice of a cluster, and Advice withdrawn or expired whose status is still PENDING. */
  listWork(cluster: string, now: Instant): Promise<readonly WorkRecord[]>;

  acquireLease(cluster: string, holder: string, leaseMs: number, now: Instant): Promise<Lease>;

  /** Called after a commit that changed something, in this process or in another one. Returns how to stop. */
  onChange(listener: (change: Change) => void): () => void;
  close(): Promise<void>;
}
