/**
 * retention: what the store forgets, and when; a part of the contract of `manager/store.ts`.
 *
 * Keeps   of a job that is at rest the details go by age: signals, positions, decisions, steps, sequences, the history of its Advice.
 *         The attempts themselves, how far they came and what was advised stay: lists and their offsets count on them.
 *         A job is at rest when no attempt of it is live, listed by Slurm, to be decided about, or has Advice that is still open;
 *         all of its attempts must be old enough, since budgets and suspicions are read from the earlier ones.
 */
import type { Instant } from "@reprise/core/nouns.ts";

export interface Expiry {
  /** Attempts that were last seen before this lose their details. Absent: none does. */
  readonly detailsBefore?: Instant;
  /** Audit events that were produced before this go. Absent: none does. */
  readonly auditBefore?: Instant;
  /** Lines of nodes that were taken in before this go, however many. Absent: none does. */
  readonly nodeLinesBefore?: Instant;
  /** Of each of the two. */
  readonly limit: number;
}

export interface Expired {
  readonly attempts: number;
  readonly auditEvents: number;
}

export interface Retention {
  /** One batch, the oldest first, in one transaction. Less than `limit` of either: nothing more is old enough. Safe to repeat. */
  expire(expiry: Expiry): Promise<Expired>;
}
