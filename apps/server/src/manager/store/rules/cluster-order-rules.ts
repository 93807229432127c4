/**
 * cluster-order-rules: what an order about a whole cluster makes of those before it, and which orders make no sense.
 *
 * In the loop   order → **judged** → orders of the cluster → SAC
 * Takes         the orders and the last pass as they stand in that transaction.
 * Pure
 * Keeps         the configuration of SAC is the upper bound: what it does not allow is refused here, so that nobody waits for it.
 * Fails         `precondition` for an order that nothing could follow from.
 * Source        docs/decisions/0038.
 */
import type { ClusterOrders, Said } from "@reprise/core/mode/cluster-orders.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { OwnEvent } from "../../audit/own-events.ts";
import type { ClusterOrder, ModeToOrder, OrderedCluster } from "../../cluster-order.ts";
import type { PassState } from "../../pass-state.ts";

export interface JudgedClusterOrder extends OrderedCluster {
  readonly event: OwnEvent;
}

/** @param pass Absent: no SAC has reported from the cluster yet. */
export function judgeClusterOrder(
  cluster: string,
  order: ClusterOrder,
  before: ClusterOrders,
  pass: PassState | undefined,
  now: Instant,
): JudgedClusterOrder {
  const { reason, by } = order;
  const said: Said = { reason, by, at: now };
  // A database that was restored knows fewer orders than SAC has taken: one that it has taken must not come again as another.
  const generation = Math.max(before.generation, pass?.sac?.ordersGeneration ?? 0) + 1;
  const event = (type: "mode.ordered" | "brake.ordered", what: object): OwnEvent => ({
    producer: "job-manager",
    type,
    payload: { cluster, generation, ...what, reason, by },
    at: now,
  });
  if ("mode" in order) {
    if (order.mode === "act") requireAllowed(cluster, order, pass);
    const { mode, partitions } = order;
    const orders = { ...before, generation, mode: { ...said, mode, partitions } };
    return { orders, effect: effectOf(order, orders, pass), event: event("mode.ordered", { mode, partitions }) };
  }
  const { action } = order;
  if (action === "go" && before.stop === undefined)
    throw no(cluster, `is not stopped by an order${killSwitchWords(pass)}`);
  const { stop: _, ...rest } = before;
  const orders = { ...rest, generation, ...(action === "stop" ? { stop: said } : {}) };
  return { orders, effect: brakeEffect(action, pass), event: event("brake.ordered", { action }) };
}

function requireAllowed(cluster: string, { partitions }: ModeToOrder, pass: PassState | undefined): void {
  const allowed = pass?.sac?.allowed;
  if (allowed === undefined)
    throw no(cluster, "is one from which no SAC has reported yet: what it may do is not known");
  if (allowed.mode !== "act")
    throw no(cluster, "is one whose SAC is configured to observe; its configuration must allow `mode: act` first");
  const outside = partitions.filter((partition) => !allowed.partitions.includes(partition));
  if (outside.length > 0)
    throw no(
      cluster,
      `is one whose SAC is not configured for ${outside.join(", ")}; expected among ${allowed.partitions.join(", ")}`,
    );
}

function effectOf({ mode, partitions }: ModeToOrder, { stop }: ClusterOrders, pass: PassState | undefined): string {
  if (mode === "act") {
    const stopped = stop === undefined ? "" : ` It is still stopped by ${stop.by} (${stop.reason}).`;
    return `SAC acts in ${partitions.join(", ")}, and carries out the Advice that is open there.${stopped}`;
  }
  const holds = pass?.sac?.openHolds ?? 0;
  const open = holds === 0 ? "" : ` What recovery holds (${holds}) is let go, constrained as advised.`;
  return `SAC begins nothing new.${open} Advice is still given, and shown as what would have been done.`;
}

function brakeEffect(action: "stop" | "go", pass: PassState | undefined): string {
  return action === "stop"
    ? "SAC begins nothing new. What recovery holds is still constrained and released."
    : `SAC goes on with what is open, in the mode that it has${killSwitchWords(pass)}.`;
}

const killSwitchWords = (pass: PassState | undefined) =>
  pass?.sac?.brakes.some(({ kind }) => kind === "kill-switch") === true
    ? "; but the kill switch is on, a file on SAC's host"
    : "";

const no = (cluster: string, words: string) => new Refusal("precondition", `cluster ${cluster} ${words}`);
