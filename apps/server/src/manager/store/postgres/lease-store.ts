/**
 * lease-store: who may act on a cluster.
 *
 * Writes   table `lease`, one row a cluster.
 * Keeps    at most one holder at a time; whoever takes a lease that had ended gets a higher term, so that what was begun under the
 *          old one can be refused.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Lease } from "../../store.ts";
import type { Db } from "./schema.ts";

export async function acquireLease(
  db: Db,
  cluster: string,
  holder: string,
  leaseMs: number,
  now: Instant,
): Promise<Lease> {
  const { rows } = await sql<{ holder: string; term: number; expires_at: Instant }>`
    insert into lease (cluster, holder, term, expires_at) values (${cluster}, ${holder}, 1, ${now + leaseMs})
    on conflict (cluster) do update set
      term = case when lease.expires_at > ${now}::bigint then lease.term else lease.term + 1 end,
      holder = case when lease.holder = excluded.holder or lease.expires_at <= ${now}::bigint then excluded.holder else lease.holder end,
      expires_at = case when lease.holder = excluded.holder or lease.expires_at <= ${now}::bigint
        then excluded.expires_at else lease.expires_at end
    returning holder, term, expires_at`.execute(db);
  const lease = rows[0];
  if (lease === undefined) throw new Error(`lease of ${cluster}: the statement gave no row`);
  return { isHeld: lease.holder === holder, term: lease.term, holder: lease.holder, expiresAt: lease.expires_at };
}
