/**
 * Goal    lines are the same however the bytes arrive.
 * Method  a table of ends; a property: reading in two parts gives what reading at once gives.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eachLine, lineBytesMax } from "./lines.ts";

function linesOf(bytes: Uint8Array): { lines: string[]; rest: number } {
  const lines: string[] = [];
  const rest = eachLine(bytes, bytes.length, (from, to) => {
    lines.push(Buffer.from(bytes.subarray(from, to)).toString());
    return true;
  });
  return { lines, rest };
}

describe("the lines of a text", () => {
  // biome-ignore format: a table is read by its columns
  const texts: [text: string, lines: string[], rest: number][] = [
    ["a\nb\n",            ["a", "b"],        4],
    ["a\r\nb\r\n",        ["a", "b"],        6],
    ["\r 1%\r 2%\r 3%",   [" 1%", " 2%"],    9],
    ["a\n\n\nb",          ["a"],             4],
    ["",                  [],                0],
    ["unfinished",        [],                0],
  ];
  test.each(texts)("%j", (text, lines, rest) => expect(linesOf(Buffer.from(text))).toEqual({ lines, rest }));

  test("one longer than the limit is cut and goes on", () => {
    const { lines, rest } = linesOf(Buffer.from("x".repeat(lineBytesMax + 5) + "\n"));
    expect([lines.map((l) => l.length), rest]).toEqual([[lineBytesMax, 5], lineBytesMax + 6]);
  });
});

test("reading can stop after a line, and goes on after it", () => {
  const bytes = Buffer.from("a\nb\nc\n");
  expect(eachLine(bytes, bytes.length, (from) => from < 2)).toBe(4);
});

test("reading in two parts gives what reading at once gives", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r"), maxLength: 40 });
  fc.assert(
    fc.property(text, fc.nat(40), (all, cut) => {
      const first = linesOf(Buffer.from(all.slice(0, cut)));
      const second = linesOf(Buffer.from(all.slice(first.rest)));
      expect([...first.lines, ...second.lines]).toEqual(linesOf(Buffer.from(all)).lines);
    }),
  );
});
