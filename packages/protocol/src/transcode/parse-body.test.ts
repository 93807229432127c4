/**
 * Goal    a body means one thing or is refused, with the place where it stops meaning anything.
 * Method  a table; JSON.parse as the oracle for what is JSON, and a slow reader for which keys are given twice.
 */
import { limits } from "@reprise/core/limits.ts";
import { type JsonNode, readJson } from "@reprise/core/policy/json-reader.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseBody } from "./parse-body.ts";

// biome-ignore format: a table
test.each<[what: string, text: string, words: string]>([
  ["nothing after a brace",      "{",                         "body: not JSON: expected a key in double quotes, found the end, line 1, column 2"],
  ["a comma too many",           '{"a":1,\n }',               'body: not JSON: expected a key in double quotes, found "}", line 2, column 2'],
  ["single quotes",              "{'a':1}",                   `body: not JSON: expected a key in double quotes, found "'", line 1, column 2`],
  ["a word of Python",           '{"a": None}',               'body: not JSON: expected a value, found "N", line 1, column 7'],
  ["not a number",               '{"a": NaN}',                'body: not JSON: expected a value, found "N", line 1, column 7'],
  ["two values",                 "{} {}",                     'body: not JSON: expected the end, found "{", line 1, column 4'],
  ["an open string",             '{"a": "b',                  'body: not JSON: expected "\\"", found the end, line 1, column 9'],
  ["a key twice",                '{"a":1,"b":2,"a":3}',       'body: "a" is given twice in one object, line 1, column 14'],
  ["a key twice, once escaped",  '{"a":1,"\\u0061":3}',       'body: "a" is given twice in one object, line 1, column 8'],
  ["a key twice, further in",    '{"a":[{"b":{}\n,"b":[]}]}', 'body: "b" is given twice in one object, line 2, column 2'],
  ["both faults: the grammar's", '{"a":1,"a":}',              'body: not JSON: expected a value, found "}", line 1, column 12'],
  ["one level too many",         "[".repeat(limits.bodyDepthMax + 1), `body: deeper than ${limits.bodyDepthMax} levels, line 1, column ${limits.bodyDepthMax + 1}`],
  ["a long key twice",           `{"${"k".repeat(1000)}":1,"${"k".repeat(1000)}":2}`, `body: "${"k".repeat(80)}…" is given twice in one object, line 1, column 1007`],
])("%s is refused", (_what, text, words) => {
  expect(() => parseBody(text)).toThrow(new Refusal("invalid", words));
});

test("the same key in two objects, and a value that is spelled as a key, are fine", () => {
  expect(parseBody('[{"a":"a"},{"a":["a","a",{"a":1}]}]')).toEqual([{ a: "a" }, { a: ["a", "a", { a: 1 }] }]);
  expect(parseBody("[".repeat(40) + "]".repeat(40))).toBeDefined();
});

test("a key __proto__ is dropped, however it is spelled", () => {
  const value = parseBody('{"a":{"__proto__":{"admin":true},"b":{"\\u005f_proto__":1}}}');
  expect(JSON.stringify(value)).toBe('{"a":{"b":{}}}');
});

const pieces = fc.constantFrom(
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"a"',
  '"b"',
  '"\\u0061"',
  '"',
  "\\",
  "1",
  " ",
  "\n",
  "null",
);
const text = fc.oneof(
  fc.json(),
  fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join("")),
  fc
    .array(fc.tuple(fc.constantFrom('"a"', '"b"', '"\\u0061"'), fc.json()), { maxLength: 4 })
    .map((members) => `{${members.map(([key, value]) => `${key}:${value}`).join(",")}}`),
);

test("it accepts what JSON.parse accepts, but for keys given twice, and gives the same", () => {
  fc.assert(
    fc.property(text, (body) => {
      const reading = readJson(body);
      const isFine = reading.kind === "read" && !repeatsKey(reading.node);
      if (!isFine) expect(() => parseBody(body)).toThrow(Refusal);
      else if (!body.includes("__proto__")) expect(parseBody(body)).toEqual(JSON.parse(body));
    }),
    { numRuns: 1000 },
  );
});

function repeatsKey(node: JsonNode): boolean {
  if (node.kind === "array") return node.items.some(repeatsKey);
  if (node.kind !== "object") return false;
  const keys = node.members.map(({ key }) => key);
  return new Set(keys).size < keys.length || node.members.some(({ value }) => repeatsKey(value));
}
