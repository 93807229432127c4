/**
 * Goal    node names survive Slurm's short form, and what is not such a list is never half read.
 * Method  a table of lists as Slurm prints them; the round trip as a property; any text as another.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compressHostlist, expandHostlist, isNodeName } from "./hostlist.ts";

// biome-ignore format: a table
const lists: [list: string, names: string | undefined][] = [
  ["", ""],
  ["n1", "n1"],
  ["n1,n2", "n1 n2"],
  ["n[1-3,7]", "n1 n2 n3 n7"],
  ["n[01-03]", "n01 n02 n03"],
  ["n[8-11]", "n8 n9 n10 n11"],
  ["n[098-101]", "n098 n099 n100 n101"],
  ["n[1-2],gpu[07,9]", "n1 n2 gpu07 gpu9"],
  ["r[0-1]n[1-2]", "r0n1 r0n2 r1n1 r1n2"],
  ["n[1-2]-ib", "n1-ib n2-ib"],
  ["login,a[1]b", "login a1b"],
  ["n1,n[1-2]", "n1 n2"],
  ["n[1-2", undefined],
  ["n1-2]", undefined],
  ["n[]", undefined],
  ["n[2-1]", undefined],
  ["n[1-]", undefined],
  ["n[a-b]", undefined],
  ["n[1--2]", undefined],
  ["n[[1-2]]", undefined],
  ["n[1,[2-3]]", undefined],
  ["n1,", undefined],
  [",n1", undefined],
  ["n1 n2", undefined],
  ["n1\nn2", undefined],
  ["n[1-20000]", Array.from({ length: 20_000 }, (_, i) => `n${i + 1}`).join(" ")],
  ["n[1-20001]", undefined],
  ["n[1-15000],m[1-5001]", undefined],
  ["n[0-999][0-999]", undefined],
  ["n[0-999999999999999]", undefined],
  ["n[1-9999999999999999]", undefined],
];

describe("expandHostlist", () => {
  test.each(lists)("%s", (list, names) => expect(expandHostlist(list)?.join(" ")).toBe(names));

  test("gives undefined or node names for any text, and never throws", () => {
    const text = fc.array(fc.constantFrom("n", "1", "09", "-", ",", "[", "]", " ", "gpu", "[1-3]"), { maxLength: 20 });
    fc.assert(
      fc.property(text, (parts) => {
        expect((expandHostlist(parts.join("")) ?? []).every(isNodeName)).toBe(true);
      }),
    );
  });
});

// biome-ignore format: a table
test.each([
  [[], ""],
  [["n1"], "n1"],
  [["n1", "n2", "n3", "n7"], "n[1-3,7]"],
  [["n10", "n9", "n8"], "n[8-10]"],
  [["n08", "n09", "n10"], "n[08-10]"],
  [["n1", "n01", "n001"], "n[1,01,001]"],
  [["login", "n2", "n1", "login"], "login,n[1-2]"],
  [["a1", "b1", "a2"], "a[1-2],b1"],
  [["1", "2"], "[1-2]"],
  [["n1234567890123456", "n1234567890123457"], "n1[234567890123456-234567890123457]"],
])("compressHostlist(%j) is %s", (names, list) => expect(compressHostlist(names)).toBe(list));

test("compressing and expanding gives the set of the names", () => {
  const digits = fc.stringMatching(/^\d{0,3}$/);
  const name = fc
    .tuple(fc.constantFrom("", "n", "gpu-", "r1n", "n0"), digits, fc.constantFrom("", "-ib", "1234567890123456"))
    .map((parts) => parts.join(""));
  const range = fc
    .tuple(fc.nat(1200), fc.nat(60))
    .map(([low, count]) => Array.from({ length: count }, (_, i) => `n${low + i}`));
  fc.assert(
    fc.property(
      fc.array(
        name.filter((text) => text !== ""),
        { maxLength: 40 },
      ),
      range,
      (some, more) => {
        const names = [...some, ...more];
        expect(expandHostlist(compressHostlist(names))?.sort()).toEqual([...new Set(names)].sort());
      },
    ),
  );
});
