/**
 * Goal    what a person orders about a cluster counts at once and on every replica, under a number that only grows, within what SAC may do;
 *         and what SAC says of its mode is kept, with an alarm told once.
 */
import { expect, test } from "vitest";
import type { Brake, ModeReport } from "@reprise/core/mode/cluster-orders.ts";
import type { Refusal } from "@reprise/core/refusal.ts";
import type { ClusterOrder } from "../../cluster-order.ts";
import type { Store } from "../../store.ts";
import { cluster, noon, pass, s, type Open } from "../testing/world.ts";

const said = { reason: "maintenance", by: "op" };
const observe: ClusterOrder = { ...said, mode: "observe", partitions: [] };
const act = (...partitions: string[]): ClusterOrder => ({ ...said, mode: "act", partitions });
const brake = (action: "stop" | "go"): ClusterOrder => ({ ...said, action });
const sac = (change: Partial<ModeReport> = {}): ModeReport => ({
  allowed: { mode: "act", partitions: ["gpu", "long"] },
  ordersGeneration: 0,
  openHolds: 0,
  brakes: [],
  ...change,
});
const events = async (store: Store, type: string) =>
  (await store.listAuditEvents({ type }, { order: "asc", limit: 100 })).rows.map(({ payload }) => payload);

export function clusterOrderContract(open: Open): void {
  test("nothing was ordered; then each order is another generation, on every replica, and told in the audit trail", async () => {
    const { store, replica } = await open();
    expect(await store.clusterOrders(cluster)).toEqual({ generation: 0 });
    await store.reportPass(pass(noon, { mode: "act", partitions: ["gpu", "long"], sac: sac() }), noon);
    const answers = [
      await store.orderCluster(cluster, act("gpu"), noon),
      await replica.orderCluster(cluster, brake("stop"), noon + s),
      await store.orderCluster(cluster, observe, noon + 2 * s),
    ];
    expect(answers.map(({ orders }) => orders.generation)).toEqual([1, 2, 3]);
    const stop = { ...said, at: noon + s };
    const orders = { generation: 3, mode: { ...said, mode: "observe", partitions: [], at: noon + 2 * s }, stop };
    expect(answers[2]?.orders).toEqual(orders);
    expect(await replica.clusterOrders(cluster)).toEqual(orders);
    expect(await replica.clusterOrders("other")).toEqual({ generation: 0 });
    const { orders: after } = await store.orderCluster(cluster, brake("go"), noon + 3 * s);
    expect(after).toEqual({ generation: 4, mode: orders.mode });
    expect(await events(store, "mode.ordered")).toEqual([
      { cluster, generation: 1, mode: "act", partitions: ["gpu"], ...said },
      { cluster, generation: 3, mode: "observe", partitions: [], ...said },
    ]);
    expect(await events(store, "brake.ordered")).toMatchObject([{ action: "stop" }, { action: "go" }]);
  });

  test("a preview answers and refuses as the order would, and records nothing", async () => {
    const { store, replica } = await open();
    const refused = (answer: Promise<unknown>) => answer.catch((error: unknown) => (error as Refusal).message);
    for (const order of [act("gpu"), brake("go")])
      expect(await refused(store.previewClusterOrder(cluster, order, noon))).toBe(
        await refused(store.orderCluster(cluster, order, noon)),
      );
    await store.reportPass(pass(noon, { mode: "act", partitions: ["gpu", "long"], sac: sac() }), noon);
    for (const order of [brake("stop"), act("gpu"), observe, brake("go")]) {
      const before = await replica.clusterOrders(cluster);
      const told = (await events(store, "mode.ordered")).length;
      const foreseen = await store.previewClusterOrder(cluster, order, noon);
      expect(await replica.clusterOrders(cluster)).toEqual(before);
      expect(await events(store, "mode.ordered")).toHaveLength(told);
      expect(await store.orderCluster(cluster, order, noon)).toEqual(foreseen);
    }
  });

  test("orders that come at the same moment each have their own generation", async () => {
    const { store, replica } = await open();
    const given = await Promise.all(
      [store, replica, store, replica].map((one) => one.orderCluster(cluster, observe, noon)),
    );
    expect(given.map(({ orders }) => orders.generation).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
  });

  test("to act is refused where SAC's configuration does not allow it; to observe and to stop never is", async () => {
    const { store } = await open();
    const refused = (order: ClusterOrder) =>
      store.orderCluster(cluster, order, noon).then(
        () => "taken",
        (error: unknown) => `${(error as Refusal).code}: ${(error as Refusal).message}`,
      );
    expect(await refused(act("gpu"))).toContain("precondition: cluster default is one from which no SAC has reported");
    const observer = sac({ allowed: { mode: "observe", partitions: ["gpu"] } });
    await store.reportPass(pass(noon, { sac: observer }), noon);
    expect(await refused(act("gpu"))).toContain("configured to observe");
    await store.reportPass(pass(noon + s, { sac: sac() }), noon + s);
    expect(await refused(act("gpu", "other"))).toContain("is not configured for other; expected among gpu, long");
    expect(await refused(brake("go"))).toContain("is not stopped by an order");
    expect(await store.clusterOrders(cluster)).toEqual({ generation: 0 });
    for (const order of [act("gpu"), observe, brake("stop"), brake("go")]) expect(await refused(order)).toBe("taken");
  });

  test("an order has a generation above every one that SAC has taken, also from a database that was lost since", async () => {
    const { store } = await open();
    await store.reportPass(pass(noon, { sac: sac({ ordersGeneration: 7 }) }), noon);
    const { orders } = await store.orderCluster(cluster, observe, noon);
    expect(orders.generation).toBe(8);
  });

  test("what SAC says of its mode is kept with the pass, and a brake that bites is told once, and once when it does no more", async () => {
    const { store, replica } = await open();
    const bites: Brake = { kind: "restarts-per-minute", since: noon, heldBack: 3 };
    const saying = (at: number, brakes: readonly Brake[]) =>
      store.reportPass(pass(at, { mode: "act", sac: sac({ brakes }) }), at);
    await saying(noon, [bites]);
    await saying(noon + s, [{ ...bites, heldBack: 5 }]);
    expect((await replica.passState(cluster))?.sac?.brakes).toEqual([{ ...bites, heldBack: 5 }]);
    await saying(noon + 2 * s, []);
    expect(await events(store, "brake.bites")).toEqual([{ cluster, kind: "restarts-per-minute", heldBack: 3 }]);
    expect(await events(store, "brake.released")).toEqual([{ cluster, kind: "restarts-per-minute" }]);
  });
}
