/**
 * Goal    a rule sees code and only code, at the right line.
 * Method  a table of awkward texts with what is left of each; a property over random ones.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineAt, readSource } from "./source.ts";

const codeOf = (text: string) => readSource("x.ts", text).code.replace(/ +/g, " ").trim();

const cases: [what: string, text: string, code: string][] = [
  ["a line comment", "a; // Date.now\nb", "a; \nb"],
  ["a block comment", "a /* b\nc */ d", "a \n d"],
  ["a comment that never ends", "a /* b", "a"],
  ["a string with an escaped quote", String.raw`f("a\"b", c)`, 'f(" ", c)'],
  ["a quote in a comment", "// don't\nx", "x"],
  ["a template with code in it", "`a ${b + `c ${d}`} e`; f", "` ${b + ` ${d}`} `; f"],
  ["an object in a template", "`${{ a: 1 }.a} b` + c", "`${{ a: 1 }.a} ` + c"],
  ["a regular expression with a quote", `x = /"[/']/g.test(y)`, "x = / /g.test(y)"],
  ["a division", "a / b / c", "a / b / c"],
  ["a division after a call", "f(x) / 2 // '", "f(x) / 2"],
  ["a regular expression after return", "return /'/.exec(s)", "return / /.exec(s)"],
  ["a string that looks like a comment", `f("http://x") // y`, 'f(" ")'],
];

describe("readSource", () => {
  test.each(cases)("%s", (_what, text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  test("a string is given with its place, without its quotes", () => {
    const { strings } = readSource("x.ts", `import a from "b";`);
    expect(strings).toEqual([{ at: 14, text: "b" }]);
  });

  test("code is as long as the text and has its lines, whatever the text", () => {
    const soup = fc
      .array(fc.constantFrom("a", "/", "*", '"', "'", "`", "${", "{", "}", "\n", "\\", "(", ")", "[", " "))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(soup, (text) => {
        const { code } = readSource("x.ts", text);
        expect(code.length).toBe(text.length);
        expect(lineAt(code, code.length)).toBe(lineAt(text, text.length));
      }),
    );
  });
});
