/**
 * Goal    a node counts as one that can run a job only in a state that says so.
 * Method  the golden sample, and every state word with every suffix that matters.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseNodes } from "./parse-nodes.ts";

const sample = readFileSync(new URL("testdata/22.05.8/sinfo.txt", import.meta.url), "utf8");

const hardware = { cpus: 16, memoryMb: 64_000, gres: "gpu:h100:8" };
/** A node of one partition, as sinfo prints it. */
const rowOf = (...fields: readonly string[]) => `${fields.join("\x1fmark")}\x1emark\n`;

test("each node is there once, with every partition it is in", () => {
  expect([...(parseNodes(sample, "mark")?.values() ?? [])]).toEqual([
    { name: "n1", state: "mixed", isEligible: true, partitions: ["b", "gpu"], features: ["h100", "rack1"], hardware },
    { name: "n2", state: "mixed", isEligible: true, partitions: ["b", "gpu"], features: ["h100"], hardware },
    { name: "n3", state: "draining", isEligible: false, partitions: ["gpu"], features: [], hardware },
    {
      name: "n4",
      state: "completing",
      isEligible: true,
      partitions: ["gpu"],
      features: [],
      hardware: { ...hardware, gres: "" },
    },
  ]);
});

describe("eligible", () => {
  test.each([
    ["idle", true],
    ["mixed", true],
    ["allocated", true],
    ["allocated+", true],
    ["completing", true],
    ["planned", true],
    ["mixed-", true],
    ["idle~", true],
    ["idle#", true],
    ["idle*", false],
    ["allocated*", false],
    ["idle$", false],
    ["idle@", false],
    ["idle^", false],
    ["idle!", false],
    ["idle%", false],
    ["down", false],
    ["down*", false],
    ["drained", false],
    ["drained*", false],
    ["draining", false],
    ["fail", false],
    ["failing", false],
    ["inval", false],
    ["maint", false],
    ["reserved", false],
    ["reboot", false],
    ["future", false],
    ["unknown", false],
    ["powering_down", false],
    ["blocked", false],
    ["IDLE+DRAIN", false],
  ])("%s: %s", (state, isEligible) => {
    const row = rowOf("n1", state, "gpu", "(null)", "16", "64000", "(null)");
    expect(parseNodes(row, "mark")?.get("n1")?.isEligible).toBe(isEligible);
  });
});

describe("a listing that is not believed", () => {
  test.each([
    ["nothing at all", ""],
    ["cut", `${rowOf("n1", "idle", "gpu", "a", "16", "64000", "gpu:8")}n2\x1fmarkid`],
    ["a row too long", rowOf("n1", "idle", "gpu", "a", "16", "64000", "gpu:8", "more")],
    ["a row too short", rowOf("n1", "idle", "gpu", "a", "16", "64000")],
  ])("%s", (_what, text) => expect(parseNodes(text, "mark")).toBeUndefined());
});

test("a node is its reservations', where they are known", () => {
  const of = (held?: ReadonlyMap<string, readonly string[]>) =>
    [...(parseNodes(sample, "mark", held)?.values() ?? [])].map(({ reservations }) => reservations);
  expect(of(new Map([["n2", ["kept"]]]))).toEqual([[], ["kept"], [], []]);
  expect(of()).toEqual([undefined, undefined, undefined, undefined]);
});

test.each([
  ["no number", "16+", "64000"],
  ["more than the wire has room for", "16", "99999999999"],
])("what a node has that cannot be read (%s) is not known, and the node is there", (_what, cpus, memory) => {
  const node = parseNodes(rowOf("n1", "idle", "gpu", "a", cpus, memory, "gpu:8"), "mark")?.get("n1");
  expect(node).toEqual({ name: "n1", state: "idle", isEligible: true, partitions: ["gpu"], features: ["a"] });
});
