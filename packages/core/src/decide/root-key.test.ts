/**
 * Goal    two failures count as the same root exactly when a person would say that it failed in the same way again.
 * Method  tables of pairs.
 */
import { describe, expect, test } from "vitest";
import type { Signal } from "../nouns.ts";
import { crash } from "./decide.example.ts";
import { normalise, rootKeyOf, withoutPlace } from "./root-key.ts";

const line = (text: string) => ({ source: "log", line: text, at: 0 }) as const;
const key = (change: Partial<Signal>) => {
  const signal = crash(change);
  return rootKeyOf(signal, signal.causeClass ?? "unexplained");
};

describe("the words of a line", () => {
  // biome-ignore format: a table is read by its columns
  const pairs: [what: string, one: string, other: string, isSame: boolean][] = [
    ["with other numbers are the same",      "[rank3]: out of memory, 2.3 GiB",           "[rank11]: out of memory, 2.1 GiB",          true],
    ["with another address are the same",    "fault at 0x7f1c",                           "fault at 0x55d1",                           true],
    ["with another clock are the same",      "2025-03-01 10:40:00 KeyError",              "2025-03-02 11:12:13 KeyError",              true],
    ["about another file are not",           "cannot read /ckpt/step_600000/metadata",    "cannot read /ckpt/step_590000/metadata",    false],
    ["about a file of this run only are",    "cannot read /tmp/torch_4711/x",             "cannot read /tmp/torch_812/x",              true],
    ["about a file of another day are the same", "cannot read /runs/2026-11-29_10-00-01/ckpt", "cannot read /runs/2026-11-30_23-59-07/ckpt", true],
    ["about a file of another run's ID are the same", "cannot read /runs/3f2b9c0d1e4a/x",  "cannot read /runs/9a8b7c6d5e4f/x",          true],
    ["about another shard are not",          "cannot read /data/part-000017.bin",         "cannot read /data/part-000018.bin",         false],
    ["about another thing are not",          "KeyError: 'a'",                             "KeyError: 'b'",                             false],
  ];
  test.each(pairs)("%s", (_what, one, other, isSame) => expect(normalise(one) === normalise(other)).toBe(isSame));
});

describe("the place", () => {
  test("of a machine's fault makes another root", () => {
    expect(key({ nodes: ["n1"] })).not.toBe(key({ nodes: ["n2"] }));
  });
  test("of a program's error does not", () => {
    const error = { causeClass: "workload-deterministic", evidence: line("KeyError: 'a'") } as const;
    expect(key({ ...error, nodes: ["n1"], rank: 3 })).toBe(key({ ...error, nodes: ["n2"], rank: 11 }));
  });
  test("is taken out of the words that name it", () => {
    const error = (node: string) =>
      key({ causeClass: "workload-deterministic", evidence: line(`${node}: KeyError: 'a'`), nodes: [node] });
    expect(error("node-a")).toBe(error("node-b"));
  });
  test("of numbers that break does, but they are known without it", () => {
    const nan = { kind: "numerics", causeClass: "numerics", cause: "loss-not-finite", evidence: line("nan") } as const;
    const [one, other] = [key({ ...nan, rank: 3 }), key({ ...nan, rank: 11 })];
    expect(one).not.toBe(other);
    expect(withoutPlace(one)).toBe(withoutPlace(other));
  });
  test("in time is the step", () => {
    expect(key({ step: 12 })).not.toBe(key({ step: 13 }));
  });
});
