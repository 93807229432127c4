/**
 * Goal    a template is read as google/api/http.proto says, and what we do not support stops the start.
 * Method  a table; a property: every path made from a template is found by it, and by no other template.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTemplate } from "./template.ts";
import { Trie } from "./trie.ts";

test("a template is its segments and its verb", () => {
  expect(parseTemplate("/v1/jobs/{job_id}/explain")).toEqual({
    segments: [
      { kind: "literal", text: "v1" },
      { kind: "literal", text: "jobs" },
      { kind: "variable", field: "job_id" },
      { kind: "literal", text: "explain" },
    ],
    verb: "",
  });
  expect(parseTemplate("/v1/workflows:lookup").verb).toBe("lookup");
});

test.each([
  "",
  "v1",
  "/",
  "/v1/",
  "//v1",
  "/v1/**",
  "/v1/{a=*}",
  "/v1/{a.b}",
  "/v1/{A}",
  "/v1/x:",
  "/v1/x:y/z",
  "/v1/a b",
  "/v1/{a",
])("%j stops the start", (text) => {
  expect(() => parseTemplate(text)).toThrow(/not (a path template|supported)|is not supported/);
});

test("two rules for one method and path stop the start, whatever their variables are called", () => {
  const trie = new Trie<number>();
  trie.add("GET", parseTemplate("/v1/{a}"), 1);
  expect(() => trie.add("GET", parseTemplate("/v1/{b}"), 2)).toThrow(/two http rules/);
});

const word = fc.stringMatching(/^[a-z]{1,3}$/);
const template = fc
  .tuple(
    fc.array(
      fc.oneof(
        word,
        word.map((name) => `{${name}}`),
      ),
      { minLength: 1, maxLength: 4 },
    ),
    fc.option(word, { nil: "" }),
  )
  .map(([parts, verb]) => `/${parts.join("/")}${verb === "" ? "" : `:${verb}`}`);

test("a path made from a template is found by it with the values put in, a slow oracle agreeing on all others", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(template, { selector: shape, minLength: 1, maxLength: 8 }),
      fc.array(word, { minLength: 1, maxLength: 4 }),
      (texts, path) => {
        const trie = new Trie<string>();
        for (const text of texts) trie.add("GET", parseTemplate(text), text);
        const found = trie.find(path, "").map(({ byMethod }) => byMethod.get("GET"));
        expect(new Set(found)).toEqual(new Set(texts.filter((text) => fits(text, path))));
        for (const { byMethod, values } of trie.find(path, "")) {
          const { segments } = parseTemplate(byMethod.get("GET") ?? "");
          expect(values).toEqual(path.filter((_, i) => segments[i]?.kind === "variable"));
        }
      },
    ),
  );
});

const shape = (text: string) => text.replaceAll(/\{[a-z]+\}/g, "{}");
const fits = (text: string, path: readonly string[]) =>
  new RegExp(`^${text.replaceAll(/\{[a-z]+\}/g, "[^/]+")}$`).test(`/${path.join("/")}`);
