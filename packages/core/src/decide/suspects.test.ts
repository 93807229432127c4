/**
 * Goal    a node is avoided when repetition points at it, and only then.
 * Method  decisions about an attempt and the ones before it, each failed with one signal.
 */
import { describe, expect, test } from "vitest";
import type { Signal } from "../nouns.ts";
import { type EarlierFacts, fold } from "../situation/situation.ts";
import { decide } from "./decide.ts";
import { crash, failed, healthy, policy, t0 } from "./decide.example.ts";

const pair = (named: readonly string[]) =>
  crash({ causeClass: "network-pair", domain: "network", cause: "ib", nodes: named, exitIndependent: false });
const link = (node: string) =>
  crash({
    causeClass: "hardware-unnamed",
    domain: "hardware",
    cause: "xid-suspect",
    nodes: [node],
    exitIndependent: false,
  });
const atStart = (node: string): Partial<Signal> => ({
  causeClass: "workload-transient",
  domain: "workload",
  cause: "cuda-out-of-memory",
  nodes: [node],
  exitIndependent: false,
});

/** Each signal ended one attempt, the last one this attempt. */
function excluded(signals: readonly Signal[], lastStep?: number): readonly string[] | string {
  const progress = { logEndedAt: t0, ...(lastStep === undefined ? {} : { lastStep, lastStepAt: t0 - 1 }) };
  const attempts = signals.map(
    (signal, index): EarlierFacts => ({
      attempt: { ...failed("FAILED"), attemptIndex: index },
      progress,
      signals: [signal],
    }),
  );
  const last = attempts.pop()!;
  const nodes = [1, 2, 3, 4, 5, 6].map((n) => ({ name: `n${n}`, isEligible: true, partitions: ["gpu"] }));
  const facts = {
    ...healthy,
    ...last,
    earlier: attempts,
    nodes,
    attempt: { ...last.attempt, nodes: ["n1", "n2", "n3"] },
  };
  const decision = decide(fold(facts, t0), { kind: "covered", policy, warnings: [] }, t0);
  return decision.kind === "advise" && decision.desired === "RESTARTED"
    ? decision.exclusions.map((e) => e.node).toSorted()
    : decision.because;
}

describe("avoided is", () => {
  // biome-ignore format: a table is read by its columns
  const stories: [story: string, signals: Signal[], nodes: string[]][] = [
    ["nobody for one report of a link",               [pair(["n1", "n2"])],                        []],
    ["the end that two reports share",                [pair(["n1", "n2"]), pair(["n1", "n3"])],    ["n1"]],
    ["both, when the same pair is reported twice",    [pair(["n1", "n2"]), pair(["n2", "n1"])],    ["n1", "n2"]],
    ["nobody when two reports share no end",          [pair(["n1"]), pair(["n2"])],                []],
    ["nobody for the first link error of a node",     [link("n2")],                                []],
    ["the node of a second link error",               [link("n2"), link("n2")],                    ["n2"]],
    ["nobody for link errors of two nodes",           [link("n1"), link("n2")],                    []],
    ["the one node on which both starts died",        [crash(atStart("n2")), crash(atStart("n2"))], ["n2"]],
  ];
  test.each(stories)("%s", (_story, signals, expected) => expect(excluded(signals)).toEqual(expected));

  test("nobody when the starts died on two nodes: it is the program", () => {
    expect(excluded([crash(atStart("n1")), crash(atStart("n2"))])).not.toContain("n2");
  });
  test("nobody when it died after steps", () => {
    expect(excluded([crash(atStart("n2")), crash(atStart("n2"))], 12)).not.toContain("n2");
  });
});
