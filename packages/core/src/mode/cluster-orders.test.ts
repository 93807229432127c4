/**
 * Goal    an order narrows what the configuration allows and never widens it; lost orders allow nothing.
 * Method  tables, and a property over any configuration and any orders.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ClusterOrders, modeInForce, type ModeOrder, modes, noOrders, takeOrders } from "./cluster-orders.ts";

const now = 1_800_000_000_000;
const said = { reason: "maintenance", by: "ann", at: now };
const act = (...partitions: string[]): ModeOrder => ({ ...said, mode: "act", partitions });
const observe: ModeOrder = { ...said, mode: "observe", partitions: [] };
const orders = (generation: number, mode?: ModeOrder): ClusterOrders => ({
  generation,
  ...(mode === undefined ? {} : { mode }),
});

describe("the mode in force", () => {
  const allowed = { mode: "act", partitions: ["gpu", "long"] } as const;
  const observer = { ...allowed, mode: "observe" } as const;
  // biome-ignore format: a table.
  const cases: [situation: string, allowed: Parameters<typeof modeInForce>[0], mode: ModeOrder | undefined, is: string][] = [
    ["no order: the configuration",            allowed,  undefined,            "act gpu,long"],
    ["observe",                                allowed,  observe,              "observe "],
    ["one partition",                          allowed,  act("gpu"),           "act gpu"],
    ["another one that is not allowed",        allowed,  act("gpu", "other"),  "act gpu"],
    ["only such",                              allowed,  act("other"),         "act "],
    ["a SAC that only observes, told to act",  observer, act("gpu"),           "observe gpu,long"],
  ];
  test.each(cases)("%s", (_situation, given, mode, is) => {
    const force = modeInForce(given, orders(3, mode));
    expect(`${force.mode} ${force.partitions.join()}`).toBe(is);
    expect(force.observes?.reason).toBe(mode === observe && given.mode === "act" ? "maintenance" : undefined);
  });

  test("no order widens what the configuration allows", () => {
    const names = ["gpu", "long", "other"];
    const anyMode = fc.record({ mode: fc.constantFrom(...modes), partitions: fc.subarray(names) });
    fc.assert(
      fc.property(anyMode, fc.option(anyMode), (given, ordered) => {
        const force = modeInForce(given, orders(1, ordered === null ? undefined : { ...said, ...ordered }));
        if (force.mode === "act") expect([given.mode, ordered?.mode ?? "act"]).toEqual(["act", "act"]);
        for (const partition of force.partitions) expect(given.partitions).toContain(partition);
      }),
    );
  });
});

describe("orders that are taken", () => {
  test("newer ones count, and the same again", () => {
    expect(takeOrders(noOrders, orders(2, act("gpu")), now)).toEqual(orders(2, act("gpu")));
    expect(takeOrders(orders(2, observe), orders(2, observe), now)).toEqual(orders(2, observe));
  });

  test("a server that has lost some is not believed: it is observed, until somebody orders again", () => {
    const taken = { ...orders(5, act("gpu")), stop: said };
    const lost = takeOrders(taken, orders(3, act("gpu", "long")), now);
    expect(lost).toMatchObject({ generation: 5, mode: { mode: "observe", by: "SAC" }, stop: said });
    expect(lost.mode?.reason).toContain("order 3 and this SAC has taken order 5");
    expect(takeOrders(lost, orders(3), now + 1)).toBe(lost);
    expect(takeOrders(lost, orders(6, act("gpu")), now)).toEqual(orders(6, act("gpu")));
    expect(takeOrders(lost, orders(5, act("gpu")), now)).toEqual(orders(5, act("gpu")));
  });

  test("nor is it where somebody of SAC's name had ordered to act", () => {
    const taken = orders(5, { ...act("gpu"), by: "SAC" });
    expect(takeOrders(taken, orders(3), now).mode?.mode).toBe("observe");
  });
});
