/** Goal    what no world of a soak has met, or no checker judged often enough after, is listed: nobody takes it for covered. */
import { expect, test } from "vitest";
import { checkers } from "./checkers/all.ts";
import { coverageTable } from "./coverage.ts";
import { faultKinds } from "./fault-kinds.ts";

const often = Object.fromEntries(checkers.map(({ name }) => [name, 100]));

test("a kind that never came and a pair that was reached too rarely are listed; nothing else is", () => {
  const [absent, rare, ...others] = faultKinds;
  const kinds = [rare, ...others];
  const faults = Object.fromEntries(kinds.map((kind) => [kind, 1]));
  const judged = Object.fromEntries(kinds.map((kind) => [kind, often]));
  const [few = ""] = Object.keys(often);
  const table = coverageTable(faults, { ...judged, [rare]: { ...often, [few]: 99 } });
  const [, listed = ""] = table.split("reached less often:\n");
  expect(listed.split("\n")).toEqual([`  ${absent}: never came`, `  ${rare}: ${few} (99)`]);
});

test("what was reached everywhere is one line a kind, and nothing is listed", () => {
  const table = coverageTable(
    Object.fromEntries(faultKinds.map((kind) => [kind, 1])),
    Object.fromEntries(faultKinds.map((kind) => [kind, often])),
  );
  expect(table).not.toContain("reached less often");
  expect(table.split("\n")).toHaveLength(faultKinds.length);
});
