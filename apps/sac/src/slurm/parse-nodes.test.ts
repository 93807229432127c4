/**
 * Goal    a node counts as one that can run a job only in a state that says so.
 * Method  the golden sample, and every state word with every suffix that matters.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseNodes } from "./parse-nodes.ts";

const sample = readFileSync(new URL("testdata/22.05.8/sinfo.txt", import.meta.url), "utf8");

test("each node is there once, with every partition it is in", () => {
  expect([...(parseNodes(sample, "mark")?.values() ?? [])]).toEqual([
    { name: "n1", state: "mixed", isEligible: true, partitions: ["b", "gpu"], features: ["h100", "rack1"] },
    { name: "n2", state: "mixed", isEligible: true, partitions: ["b", "gpu"], features: ["h100"] },
    { name: "n3", state: "draining", isEligible: false, partitions: ["gpu"], features: [] },
    { name: "n4", state: "completing", isEligible: true, partitions: ["gpu"], features: [] },
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
    expect(parseNodes(`n1\x1fmark${state}\x1fmarkgpu\x1fmark(null)\x1emark\n`, "mark")?.get("n1")?.isEligible).toBe(
      isEligible,
    );
  });
});

describe("a listing that is not believed", () => {
  test.each([
    ["nothing at all", ""],
    ["cut", "n1\x1fmarkidle\x1fmarkgpu\x1fmarka\x1emark\nn2\x1fmarkid"],
    ["a row too long", "n1\x1fmarkidle\x1fmarkgpu\x1fmarka\x1fmarkmore\x1emark\n"],
    ["a row too short", "n1\x1fmarkidle\x1fmarkgpu\x1emark\n"],
  ])("%s", (_what, text) => expect(parseNodes(text, "mark")).toBeUndefined());
});

test("a node is its reservations', where they are known", () => {
  const of = (held?: ReadonlyMap<string, readonly string[]>) =>
    [...(parseNodes(sample, "mark", held)?.values() ?? [])].map(({ reservations }) => reservations);
  expect(of(new Map([["n2", ["kept"]]]))).toEqual([[], ["kept"], [], []]);
  expect(of()).toEqual([undefined, undefined, undefined, undefined]);
});
