/** wire-nodes: the server's answer about nodes, as JSON. See `wire.ts`. */
import type { WireEvidence } from "./wire.ts";

export interface WireNodes {
  readonly nodes?: readonly WireStanding[];
  readonly leftOut?: number;
}

export interface WireStanding {
  readonly node?: string;
  readonly state?: string;
  readonly partitions?: readonly string[];
  /** drain, watch, out, clear */
  readonly verdict?: string;
  readonly why?: string;
  readonly confidence?: number;
  readonly failures?: number;
  readonly expected?: number;
  readonly chance?: number;
  readonly until?: string;
  readonly evidence?: readonly WireStatement[];
  readonly excludedBy?: readonly WireExclusion[];
  /** The last time that a person said it was repaired. */
  readonly cleared?: WireClearance;
}

export interface WireClearance {
  readonly at?: string;
  readonly by?: string;
  readonly reason?: string;
}

export interface WireCleared {
  readonly standing?: WireStanding;
  /** Statements that counted until now. */
  readonly ended?: number;
}

export interface WireStatement {
  readonly jobId?: string;
  readonly attemptIndex?: number;
  readonly cause?: string;
  readonly at?: string;
  readonly expiresAt?: string;
  readonly confidence?: number;
  readonly counts?: boolean;
  /** Of before the last repair. */
  readonly cleared?: boolean;
  readonly evidence?: WireEvidence;
}

export interface WireExclusion {
  readonly jobId?: string;
  readonly attemptIndex?: number;
  readonly generation?: string;
  readonly reason?: string;
  readonly expiresAt?: string;
  readonly active?: boolean;
}
