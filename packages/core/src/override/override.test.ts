/**
 * Goal    the last word of people counts, for the attempts that it is about, and as long as it was meant.
 * Method  a table of stories: orders as `action@attempt`, oldest first; what stands for attempt 1 ten seconds later.
 */
import { expect, test } from "vitest";
import { limits } from "../limits.ts";
import { type Override, type OverrideAction, standingFor } from "./override.ts";

const t0 = 1_800_000_000_000;
const order = (text: string, i: number): Override => {
  const [, action, index, spent] = /^(\w+)@(\d+)(!?)$/.exec(text) ?? [];
  const override = {
    action: action as OverrideAction,
    attemptIndex: Number(index),
    reason: "r",
    by: "op",
    at: t0 + i,
  };
  return spent === "!" ? { ...override, generation: 2 } : override;
};
const standing = (orders: string, attemptIndex: number, at = t0 + 10_000) =>
  Object.keys(standingFor(attemptIndex, orders.split(" ").filter(Boolean).map(order), at)).join(" ");

// biome-ignore format: a table is read by columns
const stories: [orders: string, stands: string][] = [
  ["",                               ""],
  ["never@1",                        "never"],
  ["never@0",                        "never"],
  ["never@2",                        "never"],
  ["never@1 clear@1",                ""],
  ["never@1 restart@1",              "restart"],
  ["restart@1 never@1",              "never"],
  ["restart@1 clear@1",              ""],
  ["restart@0",                      ""],
  ["never@0 restart@0",              ""],
  ["restart@1 restart@1",            "restart"],
  ["withdraw@1",                     "withdrawn"],
  ["withdraw@0",                     ""],
  ["withdraw@1 never@1",             "withdrawn never"],
  ["never@1 withdraw@1",             "never withdrawn"],
  ["withdraw@1 restart@1",           "restart"],
  ["restart@1 withdraw@1",           "withdrawn"],
  ["restart@1 withdraw@0",           "restart"],
  ["withdraw@1 clear@2",             ""],
];
test.each(stories)("after “%s” stands for attempt 1: %s", (orders, stands) => {
  expect(standing(orders, 1)).toBe(stands);
});

test("a restart that could not become Advice lapses; one that has become Advice stands", () => {
  const late = t0 + limits.restartOrderLifeMs;
  expect(standing("restart@1", 1, late - 1)).toBe("restart");
  expect(standing("restart@1", 1, late)).toBe("");
  expect(standing("restart@1!", 1, late)).toBe("restart");
});
