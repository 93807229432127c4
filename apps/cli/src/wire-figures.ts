/** wire-figures: the server's answer about figures, as JSON. See `wire.ts`. */
export interface WireFigures {
  readonly from?: string;
  readonly to?: string;
  readonly recoveries?: number;
  readonly withoutDetails?: number;
  readonly byCause?: readonly WireRecoveryCount[];
  readonly stoppedBy?: readonly WireStopCount[];
  readonly stages?: {
    readonly schedulerRecovered?: number;
    readonly trainingResumed?: number;
    readonly trainingCompleted?: number;
  };
  readonly times?: { readonly [moment in WireMoment]?: WireSpread };
  readonly effective?: {
    readonly ratio?: number;
    readonly elapsedNodeHours?: number;
    readonly jobs?: number;
    readonly jobsWithoutSteps?: number;
  };
  readonly saved?: {
    readonly manualRestartMinutes?: number;
    readonly recoveries?: number;
    readonly hours?: number;
    readonly nodeHours?: number;
  };
}

export type WireMoment = "detect" | "decide" | "act" | "running" | "converged" | "resumed";

export interface WireSpread {
  readonly count?: number;
  readonly mean?: number;
  readonly median?: number;
  readonly p95?: number;
}

export interface WireRecoveryCount {
  readonly causeClass?: string;
  readonly domain?: string;
  readonly outcome?: string;
  readonly count?: number;
}

export interface WireStopCount {
  readonly bound?: string;
  readonly count?: number;
}
