/**
 * recovery-sequence: one operation on one source attempt, with the scheduler steps that were completed for it.
 *
 * In the loop   Advice → **sequence** ← milestones of whoever carries it out
 * Keeps         it is made in the transaction of the Advice that begins it, and only there: a read makes none. A milestone
 *               authorises nothing; it is for tracing and timing.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { RecoveryOperation, SchedulerAction } from "@reprise/core/sequence/sequence.ts";

export interface Milestone {
  /** Unique within its sequence, 1–256 characters. */
  readonly idempotencyKey: string;
  readonly action: SchedulerAction;
  readonly completedAt: Instant;
  /** In the words of whoever completed it. Absent: he said nothing. */
  readonly outcome?: string;
}

export interface RecoverySequence {
  readonly sequenceId: string;
  /** The source attempt. */
  readonly heimdallJobId: string;
  readonly operation: RecoveryOperation;
  /** When its first Advice was recorded. */
  readonly startedAt: Instant;
  /** By the time of completion; of one instant, as they were recorded. */
  readonly milestones: readonly Milestone[];
}

export interface SequenceName {
  readonly cluster: string;
  readonly jobId: string;
  readonly attemptIndex: number;
  readonly operation: RecoveryOperation;
}

export interface RecoverySequences {
  /** Of the newest incarnation of that job ID. */
  getSequence(name: SequenceName): Promise<RecoverySequence | undefined>;
  /** All of these attempts, by attempt, the oldest of each first. */
  sequencesOf(heimdallJobIds: readonly string[]): Promise<readonly RecoverySequence[]>;
  /**
   * Safe to repeat: a key that is known gives what was recorded under it. Refuses `not-found` without such a sequence; `invalid`
   * for another operation; `exists` for the key of another action; `busy` above `limits.milestonesPerSequenceMax`.
   */
  recordMilestone(sequenceId: string, operation: RecoveryOperation, milestone: Milestone): Promise<Milestone>;
}

/** What is recorded under that key already; undefined: the milestone is new. */
export function knownMilestone(
  sequence: RecoverySequence | undefined,
  sequenceId: string,
  operation: RecoveryOperation,
  { idempotencyKey, action }: Milestone,
): Milestone | undefined {
  if (sequence === undefined) throw new Refusal("not-found", `recovery sequence ${sequenceId} is not known`);
  if (sequence.operation !== operation) {
    throw new Refusal("invalid", `operation: ${operation}; sequence ${sequenceId} is one of ${sequence.operation}`);
  }
  const known = sequence.milestones.find((milestone) => milestone.idempotencyKey === idempotencyKey);
  if (known !== undefined && known.action !== action) {
    throw new Refusal("exists", `idempotencyKey: was given to a milestone of ${known.action}, not ${action}`);
  }
  if (known === undefined && sequence.milestones.length >= limits.milestonesPerSequenceMax) {
    throw new Refusal(
      "busy",
      `recovery sequence ${sequenceId} has ${limits.milestonesPerSequenceMax} milestones already`,
    );
  }
  return known;
}
