/**
 * server: what SAC says to, and asks of, the Job Manager. A port; `server-client.ts` is its gRPC body.
 *
 * Fails   every method rejects when the server is away or refuses; SAC then goes on with what it already knows.
 */
import type { ReleaseStanding } from "@reprise/core/fact/slurm-release.ts";
import type {
  Disposition,
  Instant,
  JobStatus,
  JsonObject,
  Policy,
  ReconciliationReason,
  SlurmNode,
} from "@reprise/core/nouns.ts";
import type { ClusterOrders, Mode, ModeReport } from "@reprise/core/mode/cluster-orders.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import type { RecoveryOperation, SchedulerAction } from "@reprise/core/sequence/sequence.ts";
import type { StepWithKey } from "./journal.ts";

/** One attempt as SAC publishes it: `heimdall.v1.CreateOrUpdateJobRequest` in plain words. */
export interface AttemptReport {
  readonly workflowId: string;
  readonly jobId: string;
  readonly attemptIndex: number;
  readonly jobName: string;
  readonly nodes: readonly string[];
  readonly gpuCountPerNode?: number;
  readonly exclusions: readonly string[];
  readonly inclusions: readonly string[];
  /** Absent: Slurm shows a state that is not known; the record keeps its last one. */
  readonly status?: JobStatus;
  readonly schedulerMetadata: JsonObject;
  /** Absent: not covered. */
  readonly policy?: Policy;
}

export interface PassReport {
  readonly cluster: string;
  readonly leaseTerm: number;
  readonly takenAt: Instant;
  /** The look was begun no earlier than this, by the server's clock. Absent: the server has not answered in this life. */
  readonly takenAfter?: Instant;
  readonly unavailable?: string;
  /** Every row could be read: what is not in `seen` is gone. */
  readonly complete: boolean;
  readonly changed: readonly AttemptReport[];
  readonly seen: readonly { readonly jobId: string; readonly attemptIndex: number }[];
  readonly nodes: readonly SlurmNode[];
  readonly steps: readonly (StepWithKey | GateRefusal)[];
  /** In force, as the partitions. */
  readonly mode: Mode;
  readonly partitions: readonly string[];
  /** Absent: Slurm did not say. */
  readonly slurm?: { readonly version: string; readonly standing: ReleaseStanding };
  readonly sac: ModeReport;
  /** A UUID: whether the server still has this report can be asked later. */
  readonly reportId?: string;
}

/** A step that the gate refused: what would have been done. */
export interface GateRefusal {
  readonly key: string;
  readonly action: "refused-by-gate";
  readonly work: Work;
  readonly begunAt: Instant;
  readonly detail: string;
}

export interface StatusReport {
  readonly heimdallJobId: string;
  readonly generation: number;
  readonly disposition: Disposition;
  readonly reason: ReconciliationReason;
  readonly message: string;
  readonly observedAt: Instant;
}

/** A scheduler step that was completed. */
export interface MilestoneReport {
  readonly sequenceId: string;
  readonly idempotencyKey: string;
  readonly operation: RecoveryOperation;
  readonly action: SchedulerAction;
  readonly completedAt: Instant;
  readonly outcome: string;
}

export interface OrdersAnswer {
  readonly orders: ClusterOrders;
  /** Absent: none that had a name, or a server that does not tell. */
  readonly lastReportId?: string;
}

export interface PassAnswer {
  readonly confirmedStepKeys: readonly string[];
  readonly isTaken: boolean;
  /** By the server's clock. Absent: a server that does not tell. */
  readonly heardAt?: Instant;
}

export interface Server {
  /** `isTaken`: false when another pass was later, or another SAC has the lease: only the steps were recorded. */
  reportPass(report: PassReport): Promise<PassAnswer>;
  acquireLease(
    cluster: string,
    holder: string,
  ): Promise<{ readonly isHeld: boolean; readonly term: number; readonly expiresAt: Instant }>;
  listWork(cluster: string): Promise<readonly Work[]>;
  /** What people have ordered about the cluster; and which report of the SAC with the lease the server has taken last. */
  orders(cluster: string): Promise<OrdersAnswer>;
  reportStatus(report: StatusReport): Promise<void>;
  /** Safe to repeat. */
  recordMilestone(milestone: MilestoneReport): Promise<void>;
  /** Calls `onChange` for everything that may be worth a look, until `signal` is aborted or the stream breaks. */
  watch(cluster: string, onChange: () => void, signal: AbortSignal): Promise<void>;
}
