/**
 * status-store: what SAC observed of each generation of each Advice.
 *
 * In the loop   the view after the last step → **observe** → Advice is finished, or still open
 * Writes        `advice_status`, append-only; and where the Advice stands, in `advice_head`, if the report counts.
 * Keeps         PENDING → CONVERGED or ABANDONED, and never back; a report about an older generation is history only.
 *               The same report twice is one row and the same answer.
 * Fails         `not-found` without Advice; `precondition` above the generation that counts.
 */
import type { Advice, Instant, ReconciliationStatus } from "@reprise/core/nouns.ts";
import { statusEvents } from "../../audit/own-events.ts";
import { effectOf } from "../rules/status-effect.ts";
import { getAdvice } from "./advice-store.ts";
import { recordOwnEvents } from "./audit-store.ts";
import { lockFacts, raiseKnownFacts } from "./facts-store.ts";
import type { Written } from "./changes.ts";
import type { Tx } from "./schema.ts";
import { storable } from "./storable.ts";

export async function observeStatus(
  tx: Tx,
  heimdallJobId: string,
  given: ReconciliationStatus,
  now: Instant,
): Promise<Written<Advice>> {
  const uuid = heimdallJobId.toLowerCase();
  const status = storable(given);
  await lockFacts(tx, [uuid]);
  const { advice, isEffective } = effectOf(await getAdvice(tx, uuid), status, heimdallJobId);
  if (isEffective || !(await isKnown(tx, uuid, status))) await append(tx, uuid, status, isEffective, now);
  if (!isEffective) return { answer: advice, changes: [] };

  await setHead(tx, uuid, status, now);
  if (status.disposition !== "PENDING") await raiseKnownFacts(tx, [uuid], now);
  await recordOwnEvents(tx, statusEvents(status, advice));
  const changed = { ...advice, status, updatedAt: now };
  return { answer: changed, changes: [{ kind: "status", heimdallJobId: uuid }] };
}

async function isKnown(tx: Tx, uuid: string, status: ReconciliationStatus): Promise<boolean> {
  const row = await tx
    .selectFrom("advice_status")
    .select("id")
    .where("heimdall_job_id", "=", uuid)
    .where("observed_generation", "=", status.observedGeneration)
    .where("disposition", "=", status.disposition)
    .where("reason", "=", status.reason)
    .where("message", "=", status.message)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function append(
  tx: Tx,
  uuid: string,
  status: ReconciliationStatus,
  effective: boolean,
  now: Instant,
): Promise<void> {
  await tx
    .insertInto("advice_status")
    .values({ heimdall_job_id: uuid, ...columnsOf(status), recorded_at: now, effective })
    .execute();
}

async function setHead(tx: Tx, uuid: string, status: ReconciliationStatus, now: Instant): Promise<void> {
  await tx
    .updateTable("advice_head")
    .set({ ...columnsOf(status), updated_at: now })
    .where("heimdall_job_id", "=", uuid)
    .execute();
}

const columnsOf = ({ observedGeneration, disposition, reason, message, observedAt }: ReconciliationStatus) => ({
  observed_generation: observedGeneration,
  disposition,
  reason,
  message,
  observed_at: observedAt,
});
