/**
 * Goal    our key goes in and comes out, and not one byte of anybody else's data changes.
 * Method  properties over any JSON object, written in any way, and over any text.
 */
import type { Marker } from "@reprise/core/plan/work.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeMarker, readMarker } from "./admin-comment.ts";

const marker: Marker = { id: "8699c65b-5883-563d-acbb-ae1a4a5cf52b", generation: 2, step: "held", at: 1795964365000 };
const anyMarker: fc.Arbitrary<Marker> = fc.record({
  id: fc.string({ minLength: 1, maxLength: 300 }),
  generation: fc.maxSafeNat(),
  step: fc.constantFrom("intent", "held"),
  at: fc.maxSafeNat(),
});
/** Somebody else's object, with keys that look like ours, and white space where JSON allows it. */
const theirKey = fc
  .oneof(fc.string(), fc.constantFrom("Reprise", "reprise ", "__proto__", 'a"reprise"', ""))
  .filter((key) => key !== "reprise");
const theirObject = fc
  .tuple(fc.array(fc.tuple(theirKey, fc.jsonValue()), { maxLength: 5 }), fc.constantFrom("", " ", "\n\t "))
  .map(([members, space]) => ({
    members,
    text: `${space}{${space}${members.map(([k, v]) => `${JSON.stringify(k)}${space}:${space}${JSON.stringify(v)}`).join(`${space},${space}`)}${space}}${space}`,
  }));

describe("a marker", () => {
  test("that was written is read again, whatever stands beside it", () => {
    fc.assert(
      fc.property(theirObject, anyMarker, anyMarker, ({ text }, first, second) => {
        const once = mergeMarker(text, first);
        expect(readMarker(once ?? "")).toEqual(first);
        const twice = mergeMarker(once ?? "", second);
        expect(readMarker(twice ?? "")).toEqual(second);
      }),
    );
  });

  test("leaves what is not ours as it was, byte for byte", () => {
    fc.assert(
      fc.property(theirObject, anyMarker, ({ members, text }, ours) => {
        const merged = mergeMarker(text, ours) ?? "";
        const member = `"reprise":${JSON.stringify(ours)}${members.length > 0 ? "," : ""}`;
        expect(merged.replace(member, () => "")).toBe(text);
      }),
    );
  });

  test("replaces only its own place when it is written again", () => {
    const theirs = '{"a": 1.0e400, "reprise": {"id":"x"} , "big":12345678901234567890}';
    const ours =
      '"reprise":{"id":"8699c65b-5883-563d-acbb-ae1a4a5cf52b","generation":2,"step":"held","at":1795964365000}';
    expect(mergeMarker(theirs, marker)).toBe(`{"a": 1.0e400, ${ours} , "big":12345678901234567890}`);
  });

  test("makes the first comment of a job that has none", () => {
    expect(readMarker(mergeMarker("", marker) ?? "")).toEqual(marker);
  });
});

describe("what is left untouched", () => {
  test.each([
    ["text of another tool", "drained by ops, see ticket 7"],
    ["a cut object", '{"jr":7'],
    ["a list", "[1]"],
    ["a number", "7"],
    ["null", "null"],
    ["our key twice", '{"reprise":{},"\\u0072eprise":{}}'],
    ["more than there is room", `{"a":"${"x".repeat(59_990)}"}`],
  ])("%s", (_what, comment) => {
    expect(mergeMarker(comment, marker)).toBeUndefined();
    expect(readMarker(comment)).toBeUndefined();
  });

  test("nothing is read from, or breaks on, any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (text) => {
        expect(readMarker(text)).toBeUndefined();
      }),
    );
  });

  test.each([
    ['{"reprise":null}'],
    ['{"reprise":7}'],
    ['{"reprise":{"id":"","generation":1,"step":"held","at":1}}'],
    ['{"reprise":{"id":"x","generation":1.5,"step":"held","at":1}}'],
    ['{"reprise":{"id":"x","generation":1,"step":"hold","at":1}}'],
    ['{"reprise":{"id":"x","generation":1,"step":"held"}}'],
  ])("%s is no marker of ours", (comment) => expect(readMarker(comment)).toBeUndefined());
});
