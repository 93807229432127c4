/**
 * lease-store: who may act on a cluster.
 *
 * Writes   table `lease`, one row a cluster.
 * Keeps    at most one holder at a time; whoever takes a lease that had ended gets a higher term, so that what was begun under the
 *          old one can be refused. What was open when it went to another SAC is noted with the Advice, in the same transaction.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Lease } from "../../store.ts";
import { markHandedOver } from "./advice-store.ts";
import type { Tx } from "./schema.ts";

export async function acquireLease(
  tx: Tx,
  cluster: string,
  holder: string,
  leaseMs: number,
  now: Instant,
): Promise<Lease> {
  const before = await tx
    .selectFrom("lease")
    .select("holder")
    .where("cluster", "=", cluster)
    .forUpdate()
    .executeTakeFirst();
  const { rows } = await sql<{ holder: string; term: number; expires_at: Instant }>`
    insert into lease (cluster, holder, term, expires_at) values (${cluster}, ${holder}, 1, ${now + leaseMs})
    on conflict (cluster) do update set
      term = case when lease.expires_at > ${now}::bigint then lease.term else lease.term + 1 end,
      holder = case when lease.holder = excluded.holder or lease.expires_at <= ${now}::bigint then excluded.holder else lease.holder end,
      expires_at = case when lease.holder = excluded.holder or lease.expires_at <= ${now}::bigint
        then excluded.expires_at else lease.expires_at end
    returning holder, term, expires_at`.execute(tx);
  const lease = rows[0];
  if (lease === undefined) throw new Error(`lease of ${cluster}: the statement gave no row`);
  if (before !== undefined && before.holder !== lease.holder) await markHandedOver(tx, cluster);
  return { isHeld: lease.holder === holder, term: lease.term, holder: lease.holder, expiresAt: lease.expires_at };
}
