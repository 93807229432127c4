/** cluster-order-table: what people have ordered about whole clusters. See `postgres/cluster-order-store.ts`. */
import { type ClusterOrders, noOrders } from "@reprise/core/mode/cluster-orders.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { ClusterOrder, OrderedCluster } from "../../cluster-order.ts";
import type { Written } from "../postgres/changes.ts";
import { storable } from "../postgres/storable.ts";
import { type JudgedClusterOrder, judgeClusterOrder } from "../rules/cluster-order-rules.ts";
import { recordOwnEvents } from "./audit-table.ts";
import { passState } from "./load-facts.ts";
import type { Tables } from "./tables.ts";

export const clusterOrders = (t: Tables, cluster: string): ClusterOrders => t.clusterOrders.get(cluster) ?? noOrders;

export function previewClusterOrder(t: Tables, cluster: string, order: ClusterOrder, now: Instant): OrderedCluster {
  const { orders, effect } = judgeIn(t, cluster, order, now);
  return { orders, effect };
}

export function orderCluster(t: Tables, cluster: string, given: ClusterOrder, now: Instant): Written<OrderedCluster> {
  const { orders, effect, event } = judgeIn(t, cluster, given, now);
  t.clusterOrders.set(cluster, orders);
  recordOwnEvents(t, [event]);
  return { answer: { orders, effect }, changes: [{ kind: "order", heimdallJobId: "" }] };
}

const judgeIn = (t: Tables, cluster: string, given: ClusterOrder, now: Instant): JudgedClusterOrder =>
  judgeClusterOrder(cluster, storable(given), clusterOrders(t, cluster), passState(t, cluster), now);
