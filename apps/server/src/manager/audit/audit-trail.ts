/**
 * audit-trail: who did what and why, for ever: its rows, and what is asked of the store about them.
 *
 * Keeps   a row is never changed. What Reprise's own parts did is written with the report it is derived from (`own-events.ts`);
 *         what other programs send comes through the queue (`audit-queue.ts`). Both are read as one.
 */
import type { JsonValue } from "@reprise/core/nouns.ts";
import type { Page } from "../store.ts";

/** An event is found by the names that it carries: one without a job ID is not among those of a job. */
export interface AuditEvent {
  /** In lower case. */
  readonly heimdallJobId?: string;
  readonly jobId?: string;
  readonly attemptIndex?: number;
  readonly producer: string;
  readonly type: string;
  readonly level: string;
  /** Null: there is none. */
  readonly payload: JsonValue;
  /** Unique within its producer. Absent: every copy is an event of its own. */
  readonly idempotencyKey?: string;
  /** Microseconds since the epoch, as its producer dates it. */
  readonly producedAtUs: number;
}

/** Its place in the order of all events. */
export interface AuditPosition {
  readonly producedAtUs: number;
  /** Of two events of one microsecond the one that was stored later has the higher one. */
  readonly id: number;
}

export type StoredAuditEvent = AuditEvent & AuditPosition;

export interface AuditFilter {
  readonly heimdallJobId?: string;
  readonly jobId?: string;
  readonly attemptIndex?: number;
  readonly type?: string;
  readonly level?: string;
  readonly producer?: string;
  /** Inclusive, both. */
  readonly fromUs?: number;
  readonly toUs?: number;
}

/** The first `limit` events behind `after`, walking in `order` of their times. */
export interface AuditWalk {
  readonly order: "asc" | "desc";
  readonly after?: AuditPosition;
  readonly limit: number;
}

export interface AuditTrail {
  /** One transaction. An event known by (producer, idempotency key) is not stored again, in the same call neither. */
  recordAuditEvents(events: readonly AuditEvent[]): Promise<{ readonly recorded: number; readonly repeated: number }>;
  listAuditEvents(filter: AuditFilter, walk: AuditWalk): Promise<Page<StoredAuditEvent>>;
}
