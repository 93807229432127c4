/**
 * Goal    the suite has teeth: an answer that is not what an exchange says does not pass; and an exchange is read as it stands.
 * Method  tables of patterns and values, with the words of each misfit.
 */
import { expect, test } from "vitest";
import { parseExchanges } from "./exchange.ts";
import { fit } from "./expected.ts";
import { fill } from "./fill.ts";
import { runExchange } from "./run-exchange.ts";

// biome-ignore format: a table
test.each<[pattern: unknown, value: unknown, misfits: readonly string[]]>([
  [{ a: 1 },                  { a: 1 },                   []],
  [{ a: 1 },                  { a: 1, b: 2 },             ["$.b: expected no such member, got 2"]],
  [{ a: 1, "...": "" },       { a: 1, b: 2 },             []],
  [{ a: 1, "...": "" },       { b: 2 },                   ["$.a: expected 1, got nothing"]],
  [{ a: { b: "1" } },         { a: { b: 1 } },            ['$.a.b: expected "1", got 1']],
  [{ a: null },               { a: null },                []],
  [{},                        [],                         ["$: expected {}, got []"]],
  [[1, 2],                    [1, 2],                     []],
  [[1, 2],                    [2, 1],                     ["$[0]: expected 1, got 2", "$[1]: expected 2, got 1"]],
  [[1],                       [1, 2],                     ["$: expected 1 items, got 2: [1,2]"]],
  [["...", { a: 1 }],         [{ a: 2 }, { a: 1 }],       []],
  [["...", { a: 3 }],         [{ a: 2 }],                 ['$: expected an item {"a":3}, got [{"a":2}]']],
  ["{{uuid}}",                "663df055-6615-5bef-9641-4145f351e478", []],
  ["{{uuid}}",                "663DF055-6615-5BEF-9641-4145F351E478", ['$: expected "{{uuid}}", got "663DF055-6615-5BEF-9641-4145F351E478"']],
  ["{{time}}",                "2026-01-31T12:00:00.123Z", []],
  ["{{time}}",                "2026-01-31T12:00:00.123456Z", ['$: expected "{{time}}", got "2026-01-31T12:00:00.123456Z"']],
  ["{{int64}}",               1,                          ['$: expected "{{int64}}", got 1']],
  ["{{~ limit: }}",           "limit: x",                 []],
  ["{{~ limit: }}",           "x",                        ['$: expected "{{~ limit: }}", got "x"']],
  ["{{any}}",                 undefined,                  ['$: expected "{{any}}", got nothing']],
])("%j against %j", (pattern, value, misfits) => {
  expect(fit(pattern, value).misfits).toEqual(misfits);
});

test("a captured value is the next exchange's", () => {
  expect(
    fit(
      { a: ["...", { id: "{{x = text}}", n: 2 }] },
      {
        a: [
          { id: "1", n: 1 },
          { id: "2", n: 2 },
        ],
      },
    ).captured,
  ).toEqual(new Map([["x", "2"]]));
  expect(
    fill(
      '{"id": "{{x}}", "n": [{{names 2}}], "d": {{nested 2}}, "r": "{{repeat a b 2}}", "p": "{{uuid}}"}',
      new Map([["x", "2"]]),
    ),
  ).toBe('{"id": "2", "n": ["n0","n1"], "d": {"a":{"a":1}}, "r": "a ba b", "p": "{{uuid}}"}');
});

const text = `# prose
### one
# http only: because
# eventually
POST /v1/jobs?x={{repeat a 2}}
authorization: none

{"a":
 1}

HTTP 400
allow: GET, POST

{"code": 3}

### two
# 3 times
GET /v1/x

HTTP 200
`;

test("exchanges are read as they stand", () => {
  expect(parseExchanges(text)).toEqual([
    {
      name: "one",
      method: "POST",
      target: "/v1/jobs?x={{repeat a 2}}",
      headers: { authorization: "none" },
      body: '{"a":\n 1}',
      status: 400,
      answerHeaders: { allow: "GET, POST" },
      answer: '{"code": 3}',
      httpOnly: "because",
      externalOnly: undefined,
      isEventual: true,
      times: 1,
    },
    expect.objectContaining({ name: "two", body: "", status: 200, answer: "", isEventual: false, times: 3 }),
  ]);
  expect(() => parseExchanges("### x\nGET /v1")).toThrow("x: expected `METHOD target`, and below it `HTTP status`");
});

test("status, headers and body must all fit", async () => {
  const [one] = parseExchanges(text.replace("# eventually\n", ""));
  if (one === undefined) throw new Error("no exchange");
  const answered = (status: number, allow: string, body: unknown) =>
    runExchange(one, () => Promise.resolve({ status, headers: new Map([["allow", allow]]), body }), new Map());
  expect(await answered(400, "GET, POST", { code: 3 })).toEqual([]);
  expect(await answered(401, "GET", { code: 4 })).toEqual([
    "status: expected 400, got 401",
    'header allow $: expected "GET, POST", got "GET"',
    "$.code: expected 3, got 4",
  ]);
});
