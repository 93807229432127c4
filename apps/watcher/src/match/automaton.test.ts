/**
 * Goal    the automaton finds what a plain search finds, whatever the literals and the bytes.
 * Method  a slow oracle (compare at every place) over a tiny alphabet, where overlaps and repeats are common.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createAutomaton } from "./automaton.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function found(literals: readonly string[], text: string): string[] {
  const hits: string[] = [];
  const data = bytes(text);
  const automaton = createAutomaton(literals.map(bytes));
  automaton.scan(data, 0, data.length, (state, end) => {
    for (const literal of automaton.literalsOf(state)) hits.push(`${literal}@${end}`);
  });
  return hits.toSorted();
}

function searched(literals: readonly string[], text: string): string[] {
  const hits: string[] = [];
  for (const [index, literal] of literals.entries()) {
    for (let end = literal.length; end <= text.length; end++) {
      if (text.slice(end - literal.length, end) === literal) hits.push(`${index}@${end}`);
    }
  }
  return hits.toSorted();
}

test("the automaton finds what a plain search finds", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 5 });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 60 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), text, (literals, haystack) => {
      expect(found(literals, haystack)).toEqual(searched(literals, haystack));
    }),
    { numRuns: 500 },
  );
});

test("a literal inside another, at its end and repeated is found each time", () => {
  expect(found(["he", "she", "hers", "he"], "ushers")).toEqual(["0@4", "1@4", "2@6", "3@4"]);
});

test("only the given part of the bytes is looked at", () => {
  const ends: number[] = [];
  createAutomaton([bytes("ab")]).scan(bytes("abxabxab"), 1, 7, (_, end) => ends.push(end));
  expect(ends).toEqual([5]);
});

test("an empty literal is refused", () => {
  expect(() => createAutomaton([new Uint8Array()])).toThrow("literal 0 is empty");
});

test("the ends, and what ends there, are those of a walk from the first byte to the last, over the seams of its parts too", () => {
  const literals = ["ab", "bab", "aabbaabb", "b\n"].map(bytes);
  const automaton = createAutomaton(literals);
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), minLength: 0, maxLength: 9_000, size: "max" });
  fc.assert(
    fc.property(text, fc.nat(40), fc.nat(40), (haystack, skipped, left) => {
      const data = bytes(haystack);
      const [from, to] = [Math.min(skipped, data.length), Math.max(skipped, data.length - left)];
      const one = new Map<number, number[]>();
      automaton.scan(data, from, to, (state, end) => one.set(end, [...automaton.literalsOf(state)]));
      const { places, states } = automaton.ends(data, from, to);
      expect([...places]).toEqual([...one.keys()]);
      expect([...places].map((_, n) => automaton.literalsOf(states[n]!))).toEqual([...one.values()]);
    }),
    { numRuns: 60, endOnFailure: true }, // Long texts take for ever to shrink.
  );
});
