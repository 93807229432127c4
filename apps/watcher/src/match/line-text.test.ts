/**
 * Goal    a line reads as it does on a terminal.
 * Method  tables.
 */
import { describe, expect, test } from "vitest";
import { cutToBytes, textOf } from "./line-text.ts";

const read = (bytes: Uint8Array) => textOf(bytes, 0, bytes.length);

describe("the text of a line", () => {
  // biome-ignore format: a table is read by its columns
  const lines: [line: string, written: string, read: string][] = [
    ["a colour goes",                   "\u001b[31mstep: 10\u001b[0m  loss",   "step: 10  loss"],
    ["a window title goes",             "\u001b]0;train\u0007step 1",           "step 1"],
    ["a hole of NULs goes",             "\0\0\0\0error",                        "error"],
    ["a tab stays",                     "a\tb",                                 "a\tb"],
    ["a word in another script stays",  "Fehler: größer ✓",                     "Fehler: größer ✓"],
  ];
  test.each(lines)("%s", (_line, written, text) => {
    expect(read(Buffer.from(written))).toBe(text);
  });

  test("bytes that are no UTF-8 do not hide the rest", () => {
    expect(read(Buffer.from([0xff, 0xc3, 0x28, 0x4f, 0x4b]))).toBe("\uFFFD\uFFFD(OK");
  });
});

test("a cut never splits a character", () => {
  expect(cutToBytes("aé", 2)).toBe("a");
  expect(cutToBytes("aé", 3)).toBe("aé");
  expect(cutToBytes("é".repeat(10), 7)).toBe("ééé");
});
