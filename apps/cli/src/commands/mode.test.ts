/**
 * Goal    an order about the whole cluster is sent with its reason and where it counts, and it is shown whether SAC has taken it.
 * Method  a small HTTP server that keeps what it was asked; the commands as the command line has them.
 */
import { Command } from "commander";
import { expect, test } from "vitest";
import { type Define, serverWorld } from "../testing/server-world.ts";
import { define as defineBrake } from "./brake.ts";
import { define as defineMode } from "./mode.ts";

const note = { reason: "maintenance", by: "ann", at: "2030-01-31T14:00:00Z" };
const mode = {
  cluster: "default",
  mode: "observe",
  orders: { generation: "4", mode: { mode: "observe", note } },
  sac: { allowedMode: "act", allowedPartitions: ["gpu", "long"], ordersGeneration: "4", openHolds: 2 },
  reportedAt: "2030-01-31T14:09:58Z",
  lease: { holder: "login1 a", term: "7", expiresAt: "2030-01-31T14:10:20Z" },
};
const answers = {
  "/reprise/v1/mode": { mode, effect: "SAC begins nothing new." },
  "/reprise/v1/brake": { mode, effect: "SAC begins nothing new." },
};

test("the mode is shown: what is in force, allowed and ordered, who has the lease", async () => {
  const { asked, call } = await serverWorld(answers);
  const shown = await call(defineMode);
  expect(asked).toEqual([["GET /reprise/v1/mode", undefined]]);
  for (const words of ["observe, by ann at 2030-01-31 14:00:00: maintenance", "act in gpu, long", "2 jobs", "login1 a"])
    expect(shown).toContain(words);
  expect(JSON.parse(await call(defineMode, "show", "--cluster", "b", "--json"))).toEqual(answers["/reprise/v1/mode"]);
  expect(asked[1]?.[0]).toBe("GET /reprise/v1/mode?cluster=b");
});

test("an order is sent with its reason, and what follows is shown", async () => {
  const { asked, call } = await serverWorld(answers);
  const shown = await call(defineMode, "observe", "--reason", "maintenance");
  expect(shown).toContain("SAC begins nothing new.");
  await call(defineMode, "act", "--partitions", "gpu,long", "--reason", "it went well", "--cluster", "b");
  expect(asked).toEqual([
    ["POST /reprise/v1/mode", { mode: "observe", partitions: [], reason: "maintenance" }],
    ["POST /reprise/v1/mode", { mode: "act", partitions: ["gpu", "long"], reason: "it went well", cluster: "b" }],
  ]);
});

test.each(["stop", "go"])("%s is an order of its own", async (name) => {
  const { asked, call } = await serverWorld(answers);
  const named: Define = (command, console) => {
    const it = new Command(name).exitOverride();
    command.addCommand(it);
    defineBrake(it, console);
  };
  await call(named, name, "--reason", "too many restarts");
  expect(asked).toEqual([["POST /reprise/v1/brake", { action: name, reason: "too many restarts" }]]);
});

test.each([
  ["to act without saying where", ["act", "--reason", "x"]],
  ["to act nowhere", ["act", "--reason", "x", "--partitions", "gpu,"]],
  ["without a reason", ["observe"]],
])("an order %s is asked wrongly, and nothing is sent", async (_what, args) => {
  const { asked, call } = await serverWorld(answers);
  await expect(call(defineMode, ...args)).rejects.toMatchObject({ name: "CommanderError" });
  expect(asked).toEqual([]);
});
