/**
 * cluster-order-store: what people have ordered about whole clusters.
 *
 * Writes   table `cluster_order`, one row a cluster; through its store `audit`, in one transaction.
 * Keeps    orders are given one after the other: each has a generation of its own, and the highest.
 */
import { type ClusterOrders, noOrders } from "@reprise/core/mode/cluster-orders.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { ClusterOrder, OrderedCluster } from "../../cluster-order.ts";
import { type JudgedClusterOrder, judgeClusterOrder } from "../rules/cluster-order-rules.ts";
import { recordOwnEvents } from "./audit-store.ts";
import type { Written } from "./changes.ts";
import { passOf } from "./pass-store.ts";
import { hot } from "./prepared.ts";
import type { Db, Tx } from "./schema.ts";
import { json, present, storable } from "./storable.ts";

export async function clusterOrders(db: Db, cluster: string): Promise<ClusterOrders> {
  const row = await db
    .selectFrom("cluster_order")
    .modifyFront(hot)
    .selectAll()
    .where("cluster", "=", cluster)
    .executeTakeFirst();
  if (row === undefined) return noOrders;
  const { generation, mode, stop } = row;
  return { generation, ...present({ mode, stop }) };
}

export async function previewClusterOrder(
  db: Db,
  cluster: string,
  order: ClusterOrder,
  now: Instant,
): Promise<OrderedCluster> {
  const { orders, effect } = await judgeIn(db, cluster, order, now);
  return { orders, effect };
}

export async function orderCluster(
  tx: Tx,
  cluster: string,
  given: ClusterOrder,
  now: Instant,
): Promise<Written<OrderedCluster>> {
  const none = { cluster, generation: 0, mode: null, stop: null };
  await tx
    .insertInto("cluster_order")
    .values(none)
    .onConflict((row) => row.doNothing())
    .execute();
  await tx.selectFrom("cluster_order").select("cluster").where("cluster", "=", cluster).forUpdate().execute();
  const { orders, effect, event } = await judgeIn(tx, cluster, given, now);
  const { generation, mode, stop } = orders;
  await tx
    .updateTable("cluster_order")
    .set({
      generation,
      mode: mode === undefined ? null : json(mode),
      stop: stop === undefined ? null : json(stop),
    })
    .where("cluster", "=", cluster)
    .execute();
  await recordOwnEvents(tx, [event]);
  return { answer: { orders, effect }, changes: [{ kind: "order", heimdallJobId: "" }] };
}

async function judgeIn(db: Db, cluster: string, given: ClusterOrder, now: Instant): Promise<JudgedClusterOrder> {
  const before = await clusterOrders(db, cluster);
  const pass = await passOf(db, cluster);
  return judgeClusterOrder(cluster, storable(given), before, pass?.state, now);
}
