/** lease-table: who may act on a cluster. See `postgres/lease-store.ts`. */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Lease } from "../../store.ts";
import { markHandedOver } from "./advice-table.ts";
import { requireWhole, type Tables } from "./tables.ts";

export function acquireLease(t: Tables, cluster: string, holder: string, leaseMs: number, now: Instant): Lease {
  const asked = { holder, expiresAt: now + leaseMs };
  requireWhole("lease", asked, ["expiresAt"]);
  const known = t.leases.get(cluster);
  const isFree = known === undefined || known.expiresAt <= now;
  const term = isFree ? (known?.term ?? 0) + 1 : known.term;
  const lease = isFree || known.holder === holder ? { ...asked, term } : known;
  t.leases.set(cluster, lease);
  if (known !== undefined && known.holder !== lease.holder) markHandedOver(t, cluster);
  return { isHeld: lease.holder === holder, ...lease };
}
