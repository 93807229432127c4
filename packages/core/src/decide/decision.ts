/**
 * decision: what `decide` says: `none` or a desired state, always with *because*, evidence and every rule's answer.
 *
 * Keeps   Silence is explained like speech: a `none` has its reason, its sentence and its rules too.
 */
import type { Room } from "../evidence/eligible.ts";
import type { DesiredState, Evidence, Exclusion, Instant, Issue } from "../nouns.ts";

/** One line of design §6 and what it said about this situation. */
export interface RuleAnswer {
  readonly rule: string;
  readonly answered: boolean;
  readonly why: string;
}

export interface Budget {
  /** The policy key, e.g. `max_requeue_times`. */
  readonly bound: string;
  readonly spent: number;
  readonly allowed: number;
}

interface Said {
  /** The code of the rule that answered: `healthy`, `hardware-node`, `max_requeue_times`, … */
  readonly because: string;
  /** One or two sentences for a person. */
  readonly sentence: string;
  readonly evidence: readonly Evidence[];
  readonly rules: readonly RuleAnswer[];
  readonly budgets: readonly Budget[];
  /** Decide again at this time even if nothing changes (a grace that runs). */
  readonly reconsiderAt?: Instant;
}

/** An exclusion that was left out, and why. */
export type Dropped = Exclusion &
  (
    | {
        readonly why: "too-few-nodes";
        /** So many eligible nodes would have remained, of so many that the job needs. Absent in decisions of before 2026-11-29. */
        readonly remaining?: number;
        readonly needed?: number;
      }
    /** The author asks for it by name: the job could never start. */
    | { readonly why: "required" }
    /** Slurm has no such node, and would refuse the whole list. */
    | { readonly why: "not-a-node" }
  );

export interface NoAdvice extends Said {
  readonly kind: "none";
  /** True: an open restart Advice of this attempt must be withdrawn (the user cancelled, the job completed). */
  readonly withdraw: boolean;
  /** What is worth telling although nothing follows from it (a loss of throughput). */
  readonly issues?: readonly Issue[];
}

export interface Advise extends Said {
  readonly kind: "advise";
  readonly desired: DesiredState;
  readonly exclusions: readonly Exclusion[];
  /** Exclusions that were left out. Absent: none. */
  readonly dropped?: readonly Dropped[];
  /** What is left for the successor beside the exclusions. Absent: no node was to be excluded, or nothing could be counted. */
  readonly room?: Room;
  readonly issues: readonly Issue[];
  readonly startDelayMs: number;
  readonly charged: boolean;
  readonly rootKey: string;
  readonly expiresAt: Instant;
}

export type Decision = NoAdvice | Advise;
