/**
 * Goal    ordered to observe, or stopped, at whatever moment: nothing new is begun, and nobody stays held.
 * Method  the world of one failed job. The order is given before each pass in turn, and with a SAC that dies at each boundary.
 */
import type { ClusterOrders } from "@reprise/core/mode/cluster-orders.ts";
import { limits } from "@reprise/core/limits.ts";
import { Fuse } from "@reprise/runtime/testing/fuse.ts";
import { expect, test } from "vitest";
import { pass } from "./sac.ts";
import type { PassReport, Server } from "./server.ts";
import type { Slurm } from "./slurm/slurm.ts";
import { crashingRun } from "./testing/crashing-run.ts";
import { oneJobWorld } from "./testing/one-job-world.ts";

const said = { reason: "maintenance", by: "ann", at: 0 };
const observe: ClusterOrders = { generation: 1, mode: { ...said, mode: "observe", partitions: [] } };
const stop: ClusterOrders = { generation: 1, stop: said };
const act = (generation: number, ...partitions: string[]): ClusterOrders => ({
  generation,
  mode: { ...said, mode: "act", partitions },
});
const begins = ["requeue-hold", "cancel"];
const isServer = (port: object): port is Server => "acquireLease" in port;
const isSlurm = (port: object): port is Slurm => "holdReasons" in port;

type World = ReturnType<typeof oneJobWorld>;

async function passes({ advance }: World, sac: ReturnType<World["start"]>, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await pass(sac.parts, sac.state);
    advance(2_000);
  }
}

test.each([
  ["observe", observe],
  ["stop", stop],
])(
  "ordered to %s before any pass: nothing new is begun after it, and what was held is let go",
  async (_what, orders) => {
    for (let before = 0; before < 12; before++) {
      const world = oneJobWorld({ state: "FAILED" });
      const sac = world.start();
      await passes(world, sac, before);
      const [applied, wasHeld] = [world.applied().length, world.job().priority === 0];
      world.order(orders);
      await passes(world, sac, 20);
      const after = world.applied().slice(applied);
      const what = `ordered before pass ${before}, when the job was ${wasHeld ? "held" : "not held"}`;
      expect(
        after.filter((kind) => begins.includes(kind)),
        what,
      ).toEqual([]);
      if (applied === 0) expect(world.applied(), what).toEqual([]);
      else expect(world.job(), what).toMatchObject({ restartCount: 1, excludedNodes: ["n2"], priority: 9 });
      if (orders === observe) expect(sac.parts.beside.heartbeat()?.mode, what).toBe("observe");
    }
  },
);

test("a stop that is ordered while commands are on their way is written down for the last look of each, and waited for by none", async () => {
  const world = oneJobWorld({ state: "FAILED" });
  const seen: (ClusterOrders | undefined)[] = [];
  const sac = world.start((port) => {
    if (!isSlurm(port)) return port;
    const applyAll: Slurm["applyAll"] = async (orders) => {
      world.order(stop);
      for (let i = 0; i < 100 && sac.parts.beside.orders() === undefined; i++) await Promise.resolve();
      seen.push(sac.parts.beside.orders());
      return orders.map(() => ({ kind: "moved", detail: "stopped by ann" }));
    };
    return { ...port, applyAll };
  });
  const clock = { ...sac.parts.clock, sleep: () => Promise.resolve() };
  await pass({ ...sac.parts, clock }, sac.state);
  expect(seen).toEqual([stop]);
  await passes(world, sac, 5);
  expect(world.applied()).toEqual([]);
});

test("a server that never answers meanwhile keeps no command's outcome back", async () => {
  const world = oneJobWorld({ state: "FAILED" });
  const sac = world.start((port) => {
    if (!isServer(port)) return port;
    const orders: Server["orders"] = (cluster) =>
      world.applied().length > 0 ? new Promise(() => {}) : port.orders(cluster);
    return { ...port, orders };
  });
  const clock = { ...sac.parts.clock, sleep: () => Promise.resolve() };
  await pass({ ...sac.parts, clock }, sac.state);
  expect(world.job()).toMatchObject({ restartCount: 1, priority: 0 });
  const begun = sac.parts.journal.open()[0]?.steps;
  expect(begun?.map(({ action, outcome }) => [action, outcome])).toEqual([["requeue-hold", "done"]]);
});

test("ordered to observe, and SAC dies at any boundary after it: nobody stays held, and nothing is begun", {
  timeout: 60_000,
}, async () => {
  for (let n = 1; ; n++) {
    const world = oneJobWorld({ state: "FAILED" });
    await passes(world, world.start(), 1);
    expect(world.job()).toMatchObject({ restartCount: 1, priority: 0 });
    world.order(observe);
    const fuse = new Fuse(n);
    await crashingRun(world, fuse, 40);
    const what = `crash at boundary ${n}`;
    expect(
      world.applied().filter((kind) => begins.includes(kind)),
      what,
    ).toEqual(["requeue-hold"]);
    expect(world.job(), what).toMatchObject({ restartCount: 1, excludedNodes: ["n2"], priority: 9 });
    if (!fuse.blown) {
      expect(n).toBeGreaterThan(20);
      return;
    }
  }
});

test("it is a living recovery to its watchdog until what it holds is let go", async () => {
  const world = oneJobWorld({ state: "FAILED" });
  const sac = world.start();
  await passes(world, sac, 1);
  world.order(observe);
  await pass(sac.parts, sac.state);
  expect([world.job().priority, sac.parts.beside.heartbeat()?.mode]).toEqual([0, "act"]);
  await passes(world, sac, 10);
  expect([world.job().priority, sac.parts.beside.heartbeat()?.mode]).toEqual([9, "observe"]);
});

test("what cannot be let go is handed to a living watchdog in act mode after a while, and to no other", async () => {
  for (const mode of ["act", "observe"] as const) {
    const world = oneJobWorld({ state: "FAILED" });
    const unreadable = <T extends object>(port: T): T =>
      isSlurm(port)
        ? { ...port, holdReasons: () => Promise.resolve({ kind: "unavailable", why: "no answer", at: 0 }) }
        : port;
    const sac = world.start(unreadable);
    await passes(world, sac, 1);
    world.order(observe);
    const heartbeatAfter = async (ms: number) => {
      for (let at = 0; at < ms; at += 2_000) {
        sac.parts.beside.beatWatchdog({ at: sac.parts.clock.now(), mode });
        await passes(world, sac, 1);
      }
      return sac.parts.beside.heartbeat()?.mode;
    };
    expect(await heartbeatAfter(limits.failOpenAfterMs - 4_000)).toBe("act");
    expect(await heartbeatAfter(10_000)).toBe(mode === "act" ? "observe" : "act");
    expect(world.job().priority).toBe(0);
  }
});

test("an order counts without a restart, both ways; and partitions grow within what the configuration allows", async () => {
  const world = oneJobWorld({ state: "FAILED" });
  const sac = world.start();
  world.order(act(1, "long"));
  await passes(world, sac, 3);
  expect(world.reports().at(-1)?.message).toContain("partition gpu is not on the allowlist");
  world.order({ ...observe, generation: 2 });
  await passes(world, sac, 3);
  expect(world.reports().at(-1)?.message).toContain("observe mode, ordered by ann: maintenance");
  expect(world.applied()).toEqual([]);
  world.order(act(3, "long", "gpu"));
  await passes(world, sac, 3);
  expect(world.applied()).toContain("requeue-hold");
});

test("a SAC whose configuration says observe acts on no order", async () => {
  const world = oneJobWorld({ mode: "observe" });
  world.order(act(1, "gpu"));
  await passes(world, world.start(), 10);
  expect(world.applied()).toEqual([]);
});

test("an order that comes during the last look before a step stops that step", async () => {
  const world = oneJobWorld({ state: "FAILED" });
  let looks = 0;
  const slow = <T extends object>(port: T): T =>
    isSlurm(port)
      ? {
          ...port,
          look: async () => {
            world.advance(limits.ordersAgeMaxMs + 1);
            const seen = await port.look();
            if (++looks === 2) world.order(stop); // The first one of a pass under the lock.
            return seen;
          },
        }
      : port;
  await passes(world, world.start(slow), 10);
  expect(looks).toBeGreaterThan(5);
  expect(world.applied()).toEqual([]);
});

test("nothing is begun where the orders cannot be read any more", async () => {
  const world = oneJobWorld({ state: "FAILED" });
  let asked = 0;
  const failing = <T extends object>(port: T): T => {
    if (isSlurm(port)) return { ...port, look: () => (world.advance(limits.ordersAgeMaxMs + 1), port.look()) };
    if (!isServer(port)) return port;
    return {
      ...port,
      orders: (cluster: string) => (asked++ % 2 === 0 ? port.orders(cluster) : Promise.reject(new Error("away"))),
    };
  };
  await passes(world, world.start(failing), 10);
  expect(asked).toBeGreaterThan(15);
  expect(world.applied()).toEqual([]);
});

test("a SAC that starts while its server is away keeps to what it was told last", async () => {
  const world = oneJobWorld({ state: "FAILED" });
  await passes(world, world.start(), 1);
  world.order(observe);
  await passes(world, world.start(), 1);
  const away = <T extends object>(port: T): T =>
    isServer(port) ? { ...port, acquireLease: () => Promise.reject(new Error("away")) } : port;
  const sac = world.start(away);
  expect(sac.state.orders).toEqual(observe);
  await passes(world, sac, 10);
  expect(world.job()).toMatchObject({ restartCount: 1, excludedNodes: ["n2"], priority: 9 });
  expect(sac.parts.beside.heartbeat()?.mode).toBe("observe");
});

test("a server that has lost orders is not acted for, until somebody orders again", async () => {
  const world = oneJobWorld({ state: "FAILED" });
  world.order(act(5, "long"));
  await passes(world, world.start(), 2);
  world.order(act(3, "gpu"));
  const sac = world.start();
  await passes(world, sac, 5);
  expect(world.applied()).toEqual([]);
  expect(world.reports().at(-1)?.message).toContain("observe mode, ordered by SAC: the server knows order 3");
  world.order(act(6, "gpu"));
  await passes(world, sac, 5);
  expect(world.applied()).toContain("requeue-hold");
});

test("a stop is an alarm while it is on, with what it holds back", async () => {
  const world = oneJobWorld({ state: "FAILED" });
  const told: unknown[] = [];
  const sac = world.start((port) =>
    isServer(port)
      ? { ...port, reportPass: (report: PassReport) => (told.push(report.sac.brakes), port.reportPass(report)) }
      : port,
  );
  const since = sac.parts.clock.now();
  world.order(stop);
  await passes(world, sac, 3);
  world.order({ generation: 2 });
  await passes(world, sac, 2);
  expect(told.slice(0, 3)).toEqual([
    [],
    [{ kind: "stop-order", since, heldBack: 1 }],
    [{ kind: "stop-order", since, heldBack: 1 }],
  ]);
  expect(told.at(-1)).toEqual([]);
});
