/**
 * cluster-order: an order of a person about a whole cluster, as it is given and as it is answered; and who keeps it. Part of the contract
 * `manager/store.ts`; its suite is `store/contract/cluster-order.contract.ts`.
 *
 * Keeps   no order without its reason and the name of who gave it (docs/decisions/0038).
 */
import type { ClusterOrders, Mode } from "@reprise/core/mode/cluster-orders.ts";
import type { Instant } from "@reprise/core/nouns.ts";

interface Given {
  readonly reason: string;
  readonly by: string;
}

export interface ModeToOrder extends Given {
  readonly mode: Mode;
  /** Empty for `observe`. */
  readonly partitions: readonly string[];
}

export interface BrakeToOrder extends Given {
  readonly action: "stop" | "go";
}

export type ClusterOrder = ModeToOrder | BrakeToOrder;

export interface OrderedCluster {
  /** As they stand now. */
  readonly orders: ClusterOrders;
  /** What follows at once, and what will. A sentence or two for a person. */
  readonly effect: string;
}

export interface ClusterOrderStore {
  clusterOrders(cluster: string): Promise<ClusterOrders>;
  /**
   * Records what a person orders about a cluster, with its audit row in one transaction, under a generation above every one that was
   * recorded or that SAC has taken. Refuses `precondition` for an order that nothing could follow from. Repeated, it is another order.
   */
  orderCluster(cluster: string, order: ClusterOrder, now: Instant): Promise<OrderedCluster>;
  /** What `orderCluster` would answer, or refuse, now. Records nothing. */
  previewClusterOrder(cluster: string, order: ClusterOrder, now: Instant): Promise<OrderedCluster>;
}
