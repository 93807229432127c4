/**
 * Goal    what follows from the anchors of a line is worked out once for each set of them, and is never that of another set.
 * Method  a table of states by hand; then random walks beside plain sets.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { AnchorSet } from "./anchor-sets.ts";

const inState = [[], [0], [1], [0, 1], [2]];
const literalsOf = (state: number) => inState[state] ?? [];
const walk = (from: AnchorSet<string>, states: readonly number[]) =>
  states.reduce((set, state) => set.with(state), from);

test("the same anchors are the same set, in whatever order and however often they were found", () => {
  const asked: string[] = [];
  const nothing = AnchorSet.empty(literalsOf, (literals) => {
    asked.push([...literals].join("+"));
    return "worked out";
  });
  const both = walk(nothing, [1, 2]);
  for (const states of [[2, 1], [3], [1, 1, 2], [3, 1, 2], [2, 3]]) expect(walk(nothing, states)).toBe(both);
  expect(walk(nothing, [0])).toBe(nothing);
  expect(asked).toEqual(["", "0", "0+1", "1"]);
});

test("a set has what its states have, and nothing else, also beyond what is remembered", () => {
  const many = (state: number) => [state % 13, state % 17];
  const nothing = AnchorSet.empty(many, (literals) => [...literals].toSorted((a, b) => a - b).join(" "));
  fc.assert(
    fc.property(fc.array(fc.nat(600), { maxLength: 12 }), (states) => {
      const plain = new Set(states.flatMap(many));
      expect(walk(nothing, states).what).toBe([...plain].toSorted((a, b) => a - b).join(" "));
    }),
    { numRuns: 2_000 },
  );
});
