/**
 * retention: what the store forgets, and when; a part of the contract of `manager/store.ts`.
 *
 * Keeps   a job is at rest when no attempt of it is live, listed by Slurm, to be decided about, or has Advice that is still open, and
 *         all of its attempts are old enough: budgets and suspicions are read from the earlier ones.
 *         First its details go: signals, positions, decisions, steps, sequences, the history of its Advice. How far it came and what was
 *         advised stay. Later the attempts go, with all that is left of them, and all of a job at once; but not those that a job which
 *         waits may ask for, nor those that are evidence against a node.
 *         Their places in listings stay (docs/decisions/0027), and so do their audit events, which have an age of their own.
 */
import type { Instant } from "@reprise/core/nouns.ts";

export interface Expiry {
  /** Attempts that were last seen before this lose their details. Absent: none does. */
  readonly detailsBefore?: Instant;
  /** Attempts that were last seen before this go. Absent: none does. */
  readonly attemptsBefore?: Instant;
  /** Audit events that were produced before this go. Absent: none does. */
  readonly auditBefore?: Instant;
  /** Lines of nodes that were taken in before this go, however many. Absent: none does. */
  readonly nodeLinesBefore?: Instant;
  /** Of each of the first three. */
  readonly limit: number;
}

export interface Expired {
  /** Attempts that have lost their details. */
  readonly details: number;
  /** Attempts that are gone. A job of more than `limit` attempts goes all the same, by itself. */
  readonly attempts: number;
  readonly auditEvents: number;
}

export interface Retention {
  /** One batch, the oldest first, in one transaction. Less than `limit` of any: nothing more is old enough. Safe to repeat. */
  expire(expiry: Expiry): Promise<Expired>;
}
