/**
 * Goal    what `--constraint` asks of nodes is read as Slurm reads it; an expression of another form is not guessed at.
 * Method  the expressions that 22.05.8 was asked to place on six nodes, and the nodes that it took; random ones.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readConstraint } from "./constraint.ts";

const table: Readonly<Record<string, string>> = { n1: "a", n2: "b", n3: "c", n4: "a,c", n5: "b,c", n6: "a,b" };

/** Each way: the nodes that meet each of its demands, and how many it asks for. */
function ways(text: string): string | undefined {
  const met = (isMetBy: (features: ReadonlySet<string>) => boolean) =>
    Object.keys(table).filter((name) => isMetBy(new Set(table[name]?.split(","))));
  return readConstraint(text)
    ?.map((way) =>
      way.map(({ isMetBy, count }) => `${count === undefined ? "" : `${count}×`}${met(isMetBy).join(" ")}`).join(" + "),
    )
    .join(" or ");
}

// biome-ignore format: a table
test.each([
  ["a",                "n1 n4 n6"],
  ["a&c",              "n4"],
  ["a|c",              "n1 n3 n4 n5 n6"],
  ["a|b&c",            "n4 n5"],
  ["a&b|c",            "n3 n4 n5 n6"],
  ["(a|b)&c",          "n4 n5"],
  ["a|(b&c)",          "n1 n4 n5 n6"],
  ["c&(a|b)",          "n4 n5"],
  ["[a|b]",            "n1 n4 n6 or n2 n5 n6"],
  ["[(a&b)|c]",        "n6 or n3 n4 n5"],
  ["a*2",              "2×n1 n4 n6"],
  ["(a|c)*2",          "2×n1 n3 n4 n5 n6"],
  ["[a*1&b*3]",        "1×n1 n4 n6 + 3×n2 n5 n6"],
  ["[(a&b)*4&c*1]",    "4×n6 + 1×n3 n4 n5"],
])("%s", (text, expected) => expect(ways(text)).toBe(expected));

describe("an expression of another form is not read", () => {
  // biome-ignore format: a table
  test.each(["", "!a", "a,b", "a b", "a&", "&a", "a&&b", "(a", "a)", "()", "[]", "[a", "[a|]", "[a&b|c]", "a&[b|c]", "[a|[b|c]]", "[a|b]*2", "[a*1|b*2]",
    "a*", "a*0", "a*b", "a&c*1", "a*1&c*1", "[a*1&c]", "[(a&b)*4&c*1&a*1&b*1&c*1]", "a".repeat(1_001)])("%s", (text) =>
    expect(readConstraint(text)).toBeUndefined());
});

test("whatever is written there, an answer comes, and a node with more features is never worse", () => {
  const text = fc.array(fc.constantFrom("a", "b", "&", "|", "(", ")", "[", "]", "*", "2", "!", " "), { maxLength: 12 });
  const run = fc.property(text, (parts) => {
    for (const way of readConstraint(parts.join("")) ?? [])
      for (const { isMetBy } of way) if (isMetBy(new Set(["a"]))) expect(isMetBy(new Set(["a", "b"]))).toBe(true);
  });
  fc.assert(run, { numRuns: 2_000 });
});
