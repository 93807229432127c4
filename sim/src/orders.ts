/**
 * orders: what an operator orders of the server about one job, or about the whole cluster.
 *
 * Gives   what he is told: what follows, or why it is refused.
 */
import type { OverrideAction } from "@reprise/core/override/override.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { ClusterOrder } from "@reprise/server/manager/cluster-order.ts";
import { cluster } from "./roles.ts";
import type { World } from "./world.ts";

/** Advice is taken back by its attempt: here of the newest that has any. */
export async function order(world: World, jobId: string, action: OverrideAction): Promise<string> {
  const { memory, serverHost } = world;
  const stories = await memory.story(cluster, jobId);
  const advised = stories.findLast(({ advice }) => advice.length > 0)?.attempt.heimdallJobId ?? "";
  const target = action === "withdraw" ? { heimdallJobId: advised } : { cluster, jobId };
  try {
    const given = { action, reason: "as the story has it", by: "op" };
    const { effect } = await memory.setOverride(target, given, serverHost.now());
    const known = new Map(stories.map(({ attempt, advice }) => [attempt.heimdallJobId, advice.length]));
    const after = (await memory.story(cluster, jobId)).flatMap(({ advice }) => advice);
    const withdrawn = after.filter(({ heimdallJobId, generation }) => generation > (known.get(heimdallJobId) ?? 0));
    for (const o of world.observers) o.ordered?.(jobId, action, withdrawn);
    return `${action}: ${effect}`;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${action} is refused: ${error.message}`;
  }
}

/** @param words `mode observe`, `mode act gpu,long`, `stop`, `go`. */
export async function orderCluster(world: World, words: string): Promise<string> {
  const [verb = "", mode = "", partitions = ""] = words.split(" ");
  const said = { reason: "as the story has it", by: "op" };
  const order: ClusterOrder =
    verb === "mode"
      ? { ...said, mode: mode === "act" ? "act" : "observe", partitions: partitions.split(",").filter((p) => p !== "") }
      : { ...said, action: verb === "stop" ? "stop" : "go" };
  try {
    const { orders, effect } = await world.memory.orderCluster(cluster, order, world.serverHost.now());
    for (const o of world.observers) o.clusterOrdered?.(orders);
    return `${words}: ${effect}`;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${words} is refused: ${error.message}`;
  }
}

/** Whatever was ordered before: everything goes on, everywhere. */
export async function orderOn(world: World): Promise<void> {
  const { mode, stop } = await world.memory.clusterOrders(cluster);
  if (stop !== undefined) await orderCluster(world, "go");
  if (mode !== undefined) await orderCluster(world, `mode act ${world.spec.reprise.partitions.join(",")}`);
}
