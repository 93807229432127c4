/**
 * expireOnce: one pass of the retention loop: one batch of what is too old.
 *
 * Writes        deletes, through the store; it says how much.
 * Keeps         nothing waits for it: a batch is small, and the loop yields between two.
 * Bound         `limits.expireBatchMax` attempts that lose their details, as many that go, and as many audit events a pass.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Manager } from "../context.ts";

/** Days; 0: for ever. */
export interface Retained {
  readonly detailDays: number;
  readonly attemptDays: number;
  readonly auditDays: number;
}

const dayMs = 24 * 3_600_000;

/** @returns Whether a batch was full, so that more may be too old. */
export async function expireOnce(
  { store, clock }: Pick<Manager, "store" | "clock">,
  { detailDays, attemptDays, auditDays }: Retained,
  log: Log,
): Promise<boolean> {
  const now = clock.now();
  const limit = limits.expireBatchMax;
  const expired = await store.expire({
    ...(detailDays === 0 ? {} : { detailsBefore: now - detailDays * dayMs }),
    ...(attemptDays === 0 ? {} : { attemptsBefore: now - attemptDays * dayMs }),
    ...(auditDays === 0 ? {} : { auditBefore: now - auditDays * dayMs }),
    nodeLinesBefore: now - limits.nodeLineKeptMs,
    limit,
  });
  const { details, attempts, auditEvents } = expired;
  if (details + attempts + auditEvents > 0) log.info(expired, "what was too old has been removed");
  return Math.max(details, attempts, auditEvents) >= limit;
}
