/**
 * audit-store: who did what and why, for ever.
 *
 * Writes   table `audit`, in the transaction of what it tells of; its rows are never changed.
 */
import type { Instant, JsonObject } from "@reprise/core/nouns.ts";
import type { Tx } from "./schema.ts";
import { json } from "./storable.ts";

export interface AuditEntry {
  readonly attempt: {
    readonly heimdallJobId: string;
    readonly cluster: string;
    readonly jobId: string;
    readonly attemptIndex: number;
  };
  readonly type: string;
  readonly payload: JsonObject;
}

const producer = "job-manager";
const microsecondsPerMs = 1000;

export async function recordAudit(tx: Tx, entries: readonly AuditEntry[], now: Instant): Promise<void> {
  if (entries.length === 0) return;
  const values = entries.map(({ attempt, type, payload }) => ({
    heimdall_job_id: attempt.heimdallJobId,
    cluster: attempt.cluster,
    job_id: attempt.jobId,
    attempt_index: attempt.attemptIndex,
    producer,
    type,
    level: "info",
    payload: json(payload),
    produced_at_us: now * microsecondsPerMs,
  }));
  await tx.insertInto("audit").values(values).execute();
}
