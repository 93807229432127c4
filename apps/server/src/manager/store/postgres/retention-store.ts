/**
 * retention-store: what is too old goes, in batches. See `manager/retention/retention.ts`.
 *
 * Writes   deletes rows of `audit` and `node_line`; and, by `expire-details.ts` and `expire-attempts.ts`, of what is known of attempts.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Expired, Expiry } from "../../retention/retention.ts";
import { expireAttempts } from "./expire-attempts.ts";
import { expireDetails } from "./expire-details.ts";
import type { Tx } from "./schema.ts";

export async function expire(tx: Tx, expiry: Expiry): Promise<Expired> {
  const { detailsBefore, attemptsBefore, auditBefore, nodeLinesBefore, limit } = expiry;
  if (nodeLinesBefore !== undefined)
    await tx.deleteFrom("node_line").where("recorded_at", "<", nodeLinesBefore).execute();
  const attempts = attemptsBefore === undefined ? 0 : await expireAttempts(tx, attemptsBefore, limit);
  const details = detailsBefore === undefined ? 0 : await expireDetails(tx, detailsBefore, limit);
  const auditEvents = auditBefore === undefined ? 0 : await expireAudit(tx, auditBefore, limit);
  return { details, attempts, auditEvents };
}

async function expireAudit(tx: Tx, before: Instant, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit where id in (
      select id from audit where produced_at_us < ${before * 1000}::bigint
      order by produced_at_us, id limit ${limit} for update skip locked)`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
