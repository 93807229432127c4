/**
 * Goal    a listing's paging is what api.md §1 says, and an opaque token is good only for its own query.
 * Method  tables, and a walk over rows by the tokens alone.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limitOf, nextPageToken, opaqueToken, type PageAsk, readOpaqueToken, sliceOf } from "./page-token.ts";

function show(ask: PageAsk): string {
  try {
    const { offset, limit } = sliceOf(ask);
    return `${offset}+${limit}`;
  } catch (error) {
    return (error as Error).message;
  }
}

// biome-ignore format: a table
test.each<[what: string, ask: PageAsk, rows: string]>([
  ["nothing asked",                  {},                                     "0+100"],
  ["an offset",                      { pageToken: "250", limit: 10 },        "250+10"],
  ["an empty token is the start",    { pageToken: "" },                      "0+100"],
  ["page 1",                         { pageNumber: 1 },                      "0+100"],
  ["page 3 of 20",                   { pageNumber: 3, limit: 20 },           "40+20"],
  ["page 3, above the maximum",      { pageNumber: 3, limit: 1000 },         "500+250"],
  ["limit 0 is the default",         { limit: 0 },                           "0+100"],
  ["above the maximum",              { limit: 251 },                         "0+250"],
  ["a negative limit",               { limit: -1 },                          "limit: -1 is negative; expected 1 to 250"],
  ["page 0",                         { pageNumber: 0 },                      "pageNumber: 0 is not a page; the first one is 1"],
  ["both",                           { pageNumber: 1, pageToken: "0" },      "pageToken and pageNumber exclude one another; give one of them"],
  ["a token that is no number",      { pageToken: "abc" },                   'pageToken: "abc" is not a decimal offset'],
  ["a negative token",               { pageToken: "-1" },                    'pageToken: "-1" is not a decimal offset'],
  ["a token beyond all rows",        { pageToken: "9".repeat(30) },          `pageToken: "${"9".repeat(30)}" is not a decimal offset`],
])("%s", (_what, ask, rows) => {
  expect(show(ask)).toBe(rows);
});

test("another listing has its own name for the token and its own maximum", () => {
  expect(() => sliceOf({ pageToken: "x" }, { token: "page", rowsMax: 250 })).toThrow(/^page: /);
  expect(limitOf(undefined, 50)).toBe(50);
});

test("a walk by the tokens alone meets every row once", () => {
  fc.assert(
    fc.property(fc.nat(700), fc.integer({ min: 1, max: 300 }), (rows, limit) => {
      const met: number[] = [];
      let pageToken: string | undefined;
      do {
        const slice = sliceOf({ pageToken, limit });
        const end = Math.min(rows, slice.offset + slice.limit);
        for (let row = slice.offset; row < end; row++) met.push(row);
        pageToken = nextPageToken(slice, { hasMore: end < rows });
      } while (pageToken !== "");
      expect(met).toEqual(Array.from({ length: rows }, (_, row) => row));
    }),
  );
});

describe("opaque tokens", () => {
  const query = { onlyActive: true };
  const shape = ["number", "string"] as const;

  test("give back the position, whatever characters are in it, and fit into a URL", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.string({ unit: "binary" }).filter((s) => s.isWellFormed()),
        (at, id) => {
          const token = opaqueToken(query, [at, id]);
          expect(token).toMatch(/^[\w-]+$/);
          expect(readOpaqueToken("page", token, query, shape)).toEqual([at, id]);
        },
      ),
    );
  });

  test("are refused for another query", () => {
    const token = opaqueToken(query, [1, "a"]);
    expect(() => readOpaqueToken("page", token, { onlyActive: false }, shape)).toThrow(
      /^page: was made for another query/,
    );
  });

  test("are refused when they are not ours, with the field named", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.json().map((json) => btoa(encodeURI(json))),
        ),
        (text) => {
          expect(() => readOpaqueToken("page", text, query, shape)).toThrow(/^page: /);
        },
      ),
    );
    expect(() => readOpaqueToken("page", opaqueToken(query, ["a", 1]), query, shape)).toThrow(
      /^page: not a token of this listing/,
    );
  });
});
