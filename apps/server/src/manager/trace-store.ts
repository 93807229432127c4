/**
 * trace-store: which recoveries are told as traces, and what of each has been told. Part of the contract of the store (`store.ts`); its
 * suite is `store/contract/trace.contract.ts`.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { RecoveryOperation } from "@reprise/core/sequence/sequence.ts";

/** A recovery of which something may still be told. */
export interface OpenTrace {
  readonly sequenceId: string;
  readonly operation: RecoveryOperation;
  readonly startedAt: Instant;
  /** The source attempt, and whose it is. */
  readonly heimdallJobId: string;
  readonly cluster: string;
  readonly jobId: string;
}

export interface TraceClaim {
  /** Of older recoveries no trace is begun; one that was begun goes on. */
  readonly from: Instant;
  readonly limit: number;
  /** Nobody else gets them for so long. */
  readonly claimMs: number;
}

export interface TraceStore {
  /** Begins a trace for each recovery since `claim.from` that has none. @returns Those that are due, the longest due first. */
  claimTraces(claim: TraceClaim, now: Instant): Promise<readonly OpenTrace[]>;
  /**
   * These spans are told from now on, in one transaction. @param dueAt When it is looked at again. Absent: nothing more comes.
   * @returns Those that nobody told before, in the given order; empty for a trace that is not known (any more).
   */
  tellSpans(sequenceId: string, names: readonly string[], dueAt?: Instant): Promise<readonly string[]>;
}
