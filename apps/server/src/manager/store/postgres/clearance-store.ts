/**
 * clearance-store: which nodes people said were repaired.
 *
 * In the loop   a person → **record** → ledger → decide
 * Writes        table `node_clearance`, which nobody else writes; and its audit row, in one transaction.
 * Keeps         the latest repair of a node counts, in whatever order they come.
 */
import { sql } from "kysely";
import type { Clearance } from "@reprise/core/evidence/clearance.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { clearanceEvent, endedBy } from "../rules/clearing.ts";
import { recordOwnEvents } from "./audit-store.ts";
import type { Written } from "./changes.ts";
import type { Db, Tx } from "./schema.ts";
import { loadEvidence } from "./select-evidence.ts";
import { storable } from "./storable.ts";

export async function clearNode(
  tx: Tx,
  cluster: string,
  given: Omit<Clearance, "at">,
  now: Instant,
): Promise<Written<number>> {
  const clearance = { ...storable(given), at: now };
  const ended = endedBy(clearance, await loadEvidence(tx, cluster, now), await loadClearances(tx, cluster, now));
  const { node, by, reason } = clearance;
  await tx
    .insertInto("node_clearance")
    .values({ cluster, node, cleared_at: now, by_whom: by, reason })
    .onConflict((conflict) =>
      conflict
        .columns(["cluster", "node"])
        .doUpdateSet({ cleared_at: now, by_whom: by, reason })
        .where(sql<boolean>`node_clearance.cleared_at <= excluded.cleared_at`),
    )
    .execute();
  await recordOwnEvents(tx, [clearanceEvent(cluster, clearance, ended)]);
  return { answer: ended, changes: [] };
}

export async function loadClearances(db: Db, cluster: string, now: Instant): Promise<readonly Clearance[]> {
  const rows = await db
    .selectFrom("node_clearance")
    .select(["node", "cleared_at as at", "by_whom as by", "reason"])
    .where("cluster", "=", cluster)
    .where("cleared_at", ">", now - limits.evidenceLifeMs)
    .orderBy("node")
    .execute();
  return rows;
}
