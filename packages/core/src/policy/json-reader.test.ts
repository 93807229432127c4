/**
 * Goal    the same texts are JSON here and for JSON.parse, with the same values, and a broken text is pointed at.
 * Method  JSON.parse as the oracle, on random JSON and on random changes of it; a table of mistakes that authors make.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../nouns.ts";
import { jsonDepthMax, nodeOf, readJson, valueOf, type JsonNode } from "./json-reader.ts";

const json = fc.jsonValue();

/** The value, or that the text is none. */
const ours = (text: string) => {
  const reading = readJson(text);
  return reading.kind === "read" ? { value: valueOf(reading.node) } : "broken";
};
const oracle = (text: string) => {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return "broken";
  }
};

describe("readJson", () => {
  test("agrees with JSON.parse on any JSON, however it is spaced", () => {
    fc.assert(
      fc.property(json, fc.constantFrom("", " ", "\t", "\n"), (value, space) => {
        const text = space + JSON.stringify(value, undefined, space) + space;
        expect(ours(text)).toEqual(oracle(text));
      }),
    );
  });

  test("agrees with JSON.parse on any text near JSON", () => {
    const token = fc.constantFrom(
      ..."{}[],:\"\\-+.0123eEu/ \n\u0001tfn'",
      "true",
      "false",
      "null",
      '"a"',
      "1e5",
      "-0",
      "\\u00e9",
      "1e999",
    );
    fc.assert(
      fc.property(json, fc.array(fc.tuple(fc.nat(), fc.nat(3), token), { maxLength: 3 }), (value, edits) => {
        let text = JSON.stringify(value);
        for (const [place, cut, put] of edits) {
          const at = place % (text.length + 1);
          text = text.slice(0, at) + put + text.slice(at + cut);
        }
        expect(ours(text)).toEqual(oracle(text));
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.array(token), (tokens) => {
        const text = tokens.join("");
        expect(ours(text)).toEqual(oracle(text));
      }),
    );
  });

  test("points into the text, or to its end, whatever the text is", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          json.map((value) => JSON.stringify(value).slice(0, -1)),
        ),
        (text) => {
          const reading = readJson(text);
          if (reading.kind === "read") return;
          expect(reading.position).toBeLessThanOrEqual(text.length);
          expect(reading.isCut).toBe(reading.position === text.length);
        },
      ),
    );
  });

  test("every value and key says where it begins", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value, undefined, 1);
        const reading = readJson(text);
        if (reading.kind === "read") expectPlaces(text, reading.node);
        expect(reading.kind).toBe("read");
      }),
    );
  });

  test("keeps duplicate keys, in the order written", () => {
    const reading = readJson('{"a":1,"b":2,"a":3}');
    const members = reading.kind === "read" && reading.node.kind === "object" ? reading.node.members : [];
    expect(members.map(({ key, at }) => [key, at])).toEqual([
      ["a", 1],
      ["b", 7],
      ["a", 13],
    ]);
  });

  test("refuses what is nested too deep, without a stack overflow", () => {
    expect(readJson("[".repeat(jsonDepthMax) + "]".repeat(jsonDepthMax)).kind).toBe("read");
    expect(readJson("[".repeat(1_000_000))).toMatchObject({ kind: "broken", position: jsonDepthMax });
  });

  test("a tree made of a value gives the value back", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(valueOf(nodeOf(value as JsonValue))).toEqual(value);
      }),
    );
  });
});

// The caret stands before the place that is pointed at, and is not part of the text.
// biome-ignore format: a table
test.each([
  ["^", "expected a value, found the end"],
  ["{^", "expected a key in double quotes, found the end"],
  ["{^'a': 1}", `expected a key in double quotes, found "'"`],
  ["{^a: 1}", 'expected a key in double quotes, found "a"'],
  ['{"a" ^1}', 'expected ":", found "1"'],
  ['{"a": ^}', 'expected a value, found "}"'],
  ['{"a": ^True}', 'expected a value, found "T"'],
  ['{"a": 1 ^"b": 2}', 'expected "," or "}", found "\\""'],
  ['{"a": 1, ^}', 'expected a key in double quotes, found "}"'],
  ['{"a": 1}^}', 'expected the end, found "}"'],
  ['["a^', 'expected "\\"", found the end'],
  ["[1, ^]", 'expected a value, found "]"'],
  ["[0^1]", 'expected "," or "]", found "1"'],
  ["[1.^]", 'expected a digit, found "]"'],
  ["[-^]", 'expected a digit, found "]"'],
  ["[^NaN]", 'expected a value, found "N"'],
  ['["\\^x"]', 'expected one of " \\ / b f n r t u after a backslash, found "x"'],
  ['["\\u00^g0"]', 'expected four hexadecimal digits, found "g"'],
  ['["^\n"]', 'expected no control character in a string, found "\\n"'],
  ["[^🦉]", 'expected a value, found "🦉"'],
])("%j", (marked, why) => {
  const position = marked.indexOf("^");
  expect(readJson(marked.replace("^", ""))).toMatchObject({ kind: "broken", position, why });
});

function expectPlaces(text: string, node: JsonNode): void {
  const begins = { object: "{", array: "[", string: '"', number: "-0123456789", boolean: "tf", null: "n" }[node.kind];
  expect(begins).toContain(text.charAt(node.at));
  if (node.kind === "array") for (const item of node.items) expectPlaces(text, item);
  if (node.kind !== "object") return;
  for (const { key, at, value } of node.members) {
    expect(text.slice(at).startsWith(JSON.stringify(key))).toBe(true);
    expectPlaces(text, value);
  }
}
