/**
 * Goal    what is compared as JSON is equal when PostgreSQL would keep the same jsonb, and nothing is stored that it cannot keep.
 * Method  slow, plain oracles.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { areEqual } from "@reprise/core/equal.ts";
import { storable } from "./storable.ts";

const key = fc.constantFrom("a", "b", "toString", "__proto__", "k\0", "\ud800");
const text = fc.constantFrom("", "x", "\0", "half \udc00", "whole \ud83d\ude00");
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, undefined, true, 1, 2),
    text,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries) as object),
  ),
}));

/** jsonb: keys in order, without those that have no value. */
function canonical(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(canonical);
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).filter(([, inner]) => inner !== undefined);
  return { entries: entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, canonical(inner)]) };
}
const asText = (part: unknown) => JSON.stringify({ part: canonical(part) });

test("equal is what is the same jsonb", () => {
  const pairs = fc.oneof(
    fc.tuple(value, value),
    value.map((one) => [one, structuredClone(one)] as const),
  );
  fc.assert(fc.property(pairs, ([a, b]) => void expect(areEqual(a, b)).toBe(asText(a) === asText(b))));
});

test("what is stored has no character that PostgreSQL cannot keep, and is otherwise the same", () => {
  fc.assert(
    fc.property(value, (given) => {
      const stored = storable(given);
      const words = JSON.stringify(stored) ?? "";
      expect(words).not.toMatch(/\\u0000|\\ud[89a-f]/);
      expect(storable(stored)).toEqual(stored);
      const isClean = !/\\u0000|\\ud[89a-f]/.test(JSON.stringify(given) ?? "");
      if (isClean) expect(asText(stored)).toBe(asText(given));
    }),
  );
});
