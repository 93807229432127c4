/**
 * wire: the parts of the server's JSON that the command line shows. The shapes are those of `heimdall.v1` and `reprise.v1`;
 * what is unset is left out of the JSON, so every field may be absent. int64 is a text, times are RFC 3339.
 */
export interface WireJob {
  readonly workflowId?: string;
  readonly heimdallJobId?: string;
  readonly jobId?: string;
  /** Absent and 0 mean the same. */
  readonly attemptIndex?: number;
  readonly jobName?: string;
  readonly nodes?: readonly string[];
  readonly gpuCountPerNode?: number;
  readonly nodeConstraints?: WireConstraints;
  readonly state?: string;
  readonly createdAt?: string;
  readonly lastSeen?: string;
  readonly recoveryConfig?: {
    readonly dagDependencies?: readonly {
      readonly jobId?: string;
      readonly jobName?: string;
      readonly trigger?: string;
    }[];
  };
  readonly schedulerMetadata?: {
    readonly slurm?: WireSlurm;
    readonly recovery?: {
      readonly notCovered?: { readonly because?: string; readonly position?: number };
      /** Of a comment that is read all the same: an unknown key, an alias given twice, … */
      readonly warnings?: readonly string[];
    };
  };
}

export interface WireSlurm {
  readonly cluster?: string;
  readonly user?: string;
  readonly partition?: string;
  readonly slurmState?: string;
  readonly reason?: string;
  readonly exitCode?: number;
  readonly signal?: number;
  readonly stdout?: string;
  readonly workDir?: string;
  /** Milliseconds since the epoch, as the next. */
  readonly startTime?: number;
  /** Of a queued attempt: Slurm does not start it before. */
  readonly restartDelayUntil?: number;
}

export interface WireConstraints {
  readonly exclusions?: readonly string[];
  readonly inclusions?: readonly string[];
}

export interface WireAdvice {
  readonly heimdallJobId?: string;
  readonly jobId?: string;
  readonly attemptIndex?: number;
  readonly desiredState?: string;
  readonly nodeConstraints?: WireConstraints;
  readonly issues?: readonly WireIssue[];
  readonly because?: string;
  readonly generation?: string;
  readonly reconciliationStatus?: {
    readonly disposition?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly observedAt?: string;
  };
  readonly createdAt?: string;
  readonly expiresAt?: string;
  readonly active?: boolean;
}

export interface WireIssue {
  readonly kind?: string;
  readonly summary?: string;
  readonly nodes?: readonly string[];
  readonly evidence?: readonly WireEvidence[];
}

export interface WireEvidence {
  readonly source?: string;
  readonly line?: string;
  readonly path?: string;
  readonly offset?: string;
  readonly at?: string;
}

export interface WireSignal {
  readonly kind?: string;
  readonly at?: string;
  readonly evidence?: WireEvidence;
  readonly cause?: string;
  readonly causeClass?: string;
  /** What a detector measured. */
  readonly detail?: string;
  readonly root?: boolean;
  readonly nodes?: readonly string[];
  readonly rank?: number;
  readonly step?: string;
}

/** Lines about one failure, folded. */
export interface WireIncident {
  readonly root?: WireSignal;
  readonly consequences?: readonly WireSignalGroup[];
  readonly survived?: readonly WireSignalGroup[];
  /** The lines around the root in its file. */
  readonly rootContext?: { readonly before?: readonly string[]; readonly after?: readonly string[] };
}

export interface WireSignalGroup {
  readonly kind?: string;
  readonly cause?: string;
  readonly count?: number;
  readonly ranks?: number;
  readonly nodes?: readonly string[];
  readonly paths?: readonly string[];
}

export interface WireStep {
  readonly action?: string;
  readonly begunAt?: string;
  readonly endedAt?: string;
  readonly outcome?: string;
  readonly detail?: string;
}

export interface WireDecision {
  readonly because?: string;
  readonly sentence?: string;
  readonly decidedAt?: string;
  readonly rules?: readonly { readonly rule?: string; readonly answered?: boolean; readonly why?: string }[];
  readonly budgets?: readonly WireBudget[];
  readonly nodes?: readonly WireNode[];
  /** What is left for the successor. */
  readonly room?: { readonly words?: string };
}

export interface WireBudget {
  readonly bound?: string;
  readonly spent?: number;
  readonly allowed?: number;
  readonly before?: number;
  readonly after?: number;
}

/** A node that a decision considered. */
export interface WireNode {
  readonly node?: string;
  readonly excluded?: boolean;
  readonly why?: string;
  readonly confidence?: number;
  readonly expiresAt?: string;
}

export interface WireOverride {
  readonly action?: string;
  readonly attemptIndex?: number;
  readonly reason?: string;
  readonly by?: string;
  readonly at?: string;
  readonly generation?: string;
}

/** The answer to an order. */
export interface WireOrdered {
  readonly heimdallJobId?: string;
  readonly advice?: WireAdvice;
  readonly override?: WireOverride;
  readonly effect?: string;
}

/** A log file that could not be read whole: silence in it means nothing. */
export interface WireUnreadLog {
  readonly path?: string;
  readonly why?: string;
  /** Absent: never. */
  readonly readAt?: string;
}

export interface WireStory {
  readonly job?: WireJob;
  readonly covered?: boolean;
  readonly notCoveredBecause?: string;
  readonly signals?: readonly WireSignal[];
  readonly incident?: WireIncident;
  readonly unreadLogs?: readonly WireUnreadLog[];
  readonly progress?: {
    readonly firstStep?: string;
    readonly lastStep?: string;
    readonly lastStepAt?: string;
    readonly checkpointStep?: string;
    readonly resumedFromStep?: string;
    readonly resumedAt?: string;
    readonly logReadAt?: string;
    readonly logEndedAt?: string;
  };
  readonly decision?: WireDecision;
  readonly advised?: WireDecision;
  readonly overrides?: readonly WireOverride[];
  readonly stoppedBy?: string;
  readonly whatToDo?: string;
  readonly advice?: readonly WireAdvice[];
  readonly steps?: readonly WireStep[];
  readonly stages?: {
    readonly schedulerRecoveredAt?: string;
    readonly trainingResumedAt?: string;
    readonly resumedFromStep?: string;
    readonly trainingCompletedAt?: string;
  };
  readonly seconds?: Readonly<Record<string, number | string>>;
}

export interface WireExplain {
  readonly jobId?: string;
  readonly workflowId?: string;
  readonly attempts?: readonly WireStory[];
}

export interface WireWorkflow {
  readonly workflowId?: string;
  readonly name?: string;
  readonly startTime?: string;
  /** Absent while an attempt of it lives. */
  readonly endTime?: string;
}

/** `JOB_STATUS_RUNNING` → `RUNNING`. */
export function shortName(value: string | undefined, prefix: string): string {
  if (value === undefined) return "";
  return value.startsWith(prefix) ? value.slice(prefix.length) : value;
}

/** The words of a job and of an Advice, short. Of what is absent: "". */
export const statusOf = (job: WireJob | undefined): string => shortName(job?.state, "JOB_STATUS_");
export const desiredOf = (advice: WireAdvice | undefined): string =>
  shortName(advice?.desiredState, "ADVICE_DESIRED_STATE_");
export const dispositionOf = (advice: WireAdvice | undefined): string =>
  shortName(advice?.reconciliationStatus?.disposition, "ADVICE_RECONCILIATION_DISPOSITION_");
export const reasonOf = (advice: WireAdvice | undefined): string =>
  shortName(advice?.reconciliationStatus?.reason, "ADVICE_RECONCILIATION_REASON_");
