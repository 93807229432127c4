/**
 * Goal    the quick way gives the lines that the slow way would have found worth looking at, cut at the same places.
 * Method  `eachLine` is the oracle: its lines with an anchor in them, or after one that asks for all of them.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { eachLine, lineBytesMax } from "./lines.ts";
import { createAutomaton } from "./match/automaton.ts";
import { eachTellingLine } from "./telling-lines.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const automaton = createAutomaton(["ab", "OPEN"].map(bytes));

/** OPEN asks for all lines, up to one with SHUT. */
function reading() {
  let isOpen = false;
  const hear = (text: string) => void (isOpen = text.includes("OPEN") || (isOpen && !text.includes("SHUT")));
  return { hear, wantsAll: () => isOpen };
}

function slowly(data: Uint8Array, most: number): unknown {
  const { hear, wantsAll } = reading();
  const lines: string[] = [];
  const rest = eachLine(data, data.length, (from, to) => {
    const text = Buffer.from(data.subarray(from, to)).toString();
    if (!wantsAll() && !text.includes("ab") && !text.includes("OPEN")) return true;
    hear(text);
    return lines.push(`${from} ${to - from} ${text.slice(0, 40)}`) < most;
  });
  return { lines, rest };
}

function quickly(data: Uint8Array, most: number): unknown {
  const { hear, wantsAll } = reading();
  const lines: string[] = [];
  const rest = eachTellingLine(data, data.length, { ends: automaton.ends, wantsAll }, (from, to) => {
    const text = Buffer.from(data.subarray(from, to)).toString();
    hear(text);
    return lines.push(`${from} ${to - from} ${text.slice(0, 40)}`) < most;
  });
  return { lines, rest };
}

test("the lines that tell are those of the slow way, at the same places", () => {
  const piece = fc.constantFrom("a", "b", "ab", "\n", "\r", "\r\n", "xyz", "OPEN", "SHUT", "\n\n");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 80 }), fc.integer({ min: 1, max: 9 }), (pieces, most) => {
      const data = bytes(pieces.join(""));
      expect(quickly(data, most)).toEqual(slowly(data, most));
    }),
    { numRuns: 1_000 },
  );
});

test("a line that is too long is cut at the same places, also one without an end", () => {
  const long = "x".repeat(lineBytesMax);
  for (const text of [`ab\n${long}ab\n`, `${long}${long}ab`, `${long}\nab\n${long}xab${long}`, `${long}ab\r${long}`])
    expect(quickly(bytes(text), 9)).toEqual(slowly(bytes(text), 9));
});
