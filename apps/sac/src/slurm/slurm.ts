/**
 * slurm: what SAC asks of a Slurm. The contract; `slurm.contract.ts` is its suite.
 *
 * In the loop   **look** → view → plan → **apply** → look again
 * Promises      `look` never reads a failed listing as an empty one. `apply` runs at most one scheduler command, in a
 *               short-lived child that re-reads the job first; after a time-out or an unknown text the outcome is
 *               `unknown`: look for the effect (≥ `limits.settleMs` later), never repeat blindly.
 * Bodies        `command/` runs the cluster's own squeue and scontrol; the simulator has its own.
 */
import type { Instant, Seen, SlurmView } from "@reprise/core/nouns.ts";
import type { SlurmSettings } from "./parse-config.ts";

/** The attempt that a command is about, as the plan saw it. The child refuses when Slurm shows another. */
export interface Expected {
  readonly jobId: string;
  readonly restartCount: number;
  /** Slurm's submit time in ms. A requeue resets it: it names the attempt. */
  readonly submitAt: Instant;
  /** The attempt's own key, where the release has one: then it must be that one. */
  readonly sluid?: string;
  /** States in Slurm's words in which the command may still be sent. */
  readonly states: readonly string[];
  /** Whether its priority was 0. Absent: the command does not depend on it. */
  readonly isHeld?: boolean;
  /** It leads a heterogeneous job: an update that names its ID alone would change all components. */
  readonly isHetLeader?: boolean;
  /** ExcNodeList as it was. Absent: the command does not depend on it. */
  readonly excludedNodes?: readonly string[];
}

export type Command =
  /** `requeuehold JOB`, or `requeuehold Incomplete JOB` for a source that runs. */
  | { readonly kind: "requeue-hold"; readonly isRunning: boolean }
  /** ExcNodeList, with the marker in the same command; and the Dependency that a requeue lost. */
  | {
      readonly kind: "update-constraints";
      readonly exclude: readonly string[];
      readonly adminComment?: string;
      readonly dependency?: string;
    }
  /** Dependency of a job that waits for another: the same once more. */
  | { readonly kind: "repair-dependency"; readonly dependency: string }
  /** The intent marker before a running source is requeued. */
  | { readonly kind: "mark"; readonly adminComment: string }
  | { readonly kind: "release" }
  /** `StartTime=now+N`. */
  | { readonly kind: "set-start"; readonly inSeconds: number; readonly adminComment?: string }
  | { readonly kind: "cancel" };

/** What must be true for a command to be sent at all; checked again inside the child. */
export interface Fence {
  readonly expected: Expected;
  /** The child refuses when the journal shows a higher term or epoch than these. */
  readonly leaseTerm: number;
  readonly epoch: number;
  /** By this host's clock. After it the child sends nothing that begins a recovery (`requeue-hold`, `cancel`). Absent: no lease is needed. */
  readonly leaseUntil?: Instant;
  /** The same for what people have ordered about the cluster, as it was read last. Absent: it does not matter. */
  readonly ordersUntil?: Instant;
}

/** One command, and what must be true for it to be sent. */
export interface Order {
  readonly command: Command;
  readonly fence: Fence;
}

/** One order of them. */
export const applyOver =
  (applyAll: Slurm["applyAll"]): Slurm["apply"] =>
  async (command, fence) =>
    (await applyAll([{ command, fence }]))[0] ?? { kind: "unknown", detail: "it was not told" };

export const outcomeKinds = ["done", "moved", "refused", "unknown"] as const satisfies readonly Outcome["kind"][];

export type Outcome =
  /** rc 0. Proves nothing by itself: the next look does. */
  | { readonly kind: "done" }
  /** The child saw another count, submit time or state and sent nothing. */
  | { readonly kind: "moved"; readonly detail: string }
  /** Slurm refused with words that we know: nothing happened, and it will not by repeating. */
  | { readonly kind: "refused"; readonly code: RefusedCode; readonly detail: string }
  /** A time-out, a lost answer, or words that we do not know. It may have happened, or may still. */
  | { readonly kind: "unknown"; readonly detail: string };

export type RefusedCode =
  | "pending" // "Job is pending execution"
  | "requeue-disabled" // --no-requeue
  | "not-batch"
  | "gone" // "Invalid job id specified"
  | "not-allowed" // neither owner nor operator nor root
  | "not-het-leader"
  | "already-finished"
  | "no-longer-pending"
  | "unknown-node"
  | "held" // "Job is in held state" (the rest of that update was applied)
  | "too-long"
  | "bad-dependency" // "Job dependency problem" (the rest of that update was applied)
  | "some-of-array"; // per-task messages: look again

/** Why a held job is held, from `squeue --json` (the text hides a hold laid over ours). */
export type HoldReason = "user" | "admin" | "other" | "none";

/** One pass. `at` is when it was begun: what it shows is not older. */
export interface Pass extends SlurmView {
  /** What slurmctld was when the pass was made. Absent: it did not say, and nothing is begun. */
  readonly settings?: SlurmSettings;
  /** Nothing had happened since the whole look before: what does not tell of that is as old as that one (`limits.wholeLookMs`). */
  readonly isAtRest?: true;
}

export interface Slurm {
  /**
   * One pass: `squeue -a -h -r -t all` and the node table. Never `absent`.
   *
   * @param how  `at-rest`: nothing is under way, and a look at rest is enough. By default a whole one.
   */
  look(how?: "whole" | "at-rest"): Promise<Seen<Pass>>;
  /** `unavailable` when JSON could not be read; a missing key when the job is not there. */
  holdReasons(jobIds: readonly string[]): Promise<Seen<ReadonlyMap<string, HoldReason>>>;
  apply(command: Command, fence: Fence): Promise<Outcome>;
  /** Each as `apply` does it, about as many different jobs, at most `limits.commandBatchMax`; begun in this order. One outcome an order. */
  applyAll(orders: readonly Order[]): Promise<readonly Outcome[]>;
}
