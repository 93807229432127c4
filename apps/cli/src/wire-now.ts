/** wire-now: how jobs stand now, as the server's JSON. See `wire.ts`. */
import type { WireAdvice } from "./wire.ts";

export interface WireNow {
  readonly cluster?: string;
  /** By the server's clock. */
  readonly at?: string;
  readonly scheduler?: { readonly mode?: string; readonly partitions?: readonly string[] };
  readonly blind?: readonly { readonly says?: string; readonly whatToDo?: string }[];
  readonly jobs?: {
    readonly running?: number;
    readonly waiting?: number;
    readonly recovering?: number;
    readonly deciding?: number;
    readonly stopped?: number;
  };
}

export interface WireJobRow {
  readonly jobId?: string;
  readonly attemptIndex?: number;
  readonly jobName?: string;
  readonly standing?: string;
  readonly createdAt?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly lastStep?: string;
  readonly advice?: WireAdvice;
  readonly stoppedBy?: string;
}
