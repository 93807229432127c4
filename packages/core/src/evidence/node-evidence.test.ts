/**
 * Goal    an attempt says against a node what its facts say, once it is over, and nothing else.
 * Method  one table: each row changes the healthy attempt and names what is said against whom.
 */
import { describe, expect, test } from "vitest";
import { attempt, crash, failed, healthy, t0 } from "../decide/decide.example.ts";
import { limits } from "../limits.ts";
import type { Signal } from "../nouns.ts";
import { type EarlierFacts, type Facts, fold } from "../situation/situation.ts";
import { evidenceOf } from "./node-evidence.ts";

const over = failed("FAILED");
const requeued = { ...attempt, status: "STOPPED" as const, jmState: "REQUEUED" as const };
const cancelled = { ...attempt, status: "CANCELLED" as const, jmState: "CANCELLED" as const };
const suspect: Partial<Signal> = { causeClass: "hardware-unnamed", cause: "xid-suspect", exitIndependent: false };
const link: Partial<Signal> = { causeClass: "network-pair", domain: "network", cause: "ib", exitIndependent: false };
const hang: Partial<Signal> = { kind: "hang", causeClass: "hang", exitIndependent: false };
const program: Partial<Signal> = { causeClass: "workload-deterministic", cause: "python", exitIndependent: false };
/** Slurm could not launch it on its first node, or on the one that it has drained since. */
const { startedAt: _started, ...unstarted } = attempt;
const launch = { ...(attempt.schedulerMetadata["slurm"] as object), reason: "launch failed requeued held" };
const held = {
  ...unstarted,
  attemptIndex: 1,
  status: "PENDING" as const,
  jmState: "PENDING" as const,
  schedulerMetadata: { slurm: launch },
};
const launched = { attempt: held, earlier: [{ attempt: requeued, progress: {}, signals: [] }] };
const drained = healthy.nodes.map((n) => ({ ...n, isEligible: n.name !== "n2" }));

/** Died at once and without a word, twice, on n1. */
const instant = { startedAt: t0 - 3_000, nodes: ["n1"] };
const before: EarlierFacts = {
  attempt: { ...over, ...instant, startedAt: t0 - 9_000, endedAt: t0 - 6_000 },
  progress: { logEndedAt: t0 },
  signals: [],
};
const twice = { attempt: { ...over, ...instant, attemptIndex: 1 }, progress: { logEndedAt: t0 }, earlier: [before] };

// biome-ignore format: a table
const cases: [story: string, change: Partial<Facts>, said: string[]][] = [
  ["nothing is wrong",                               {},                                                              []],
  ["a fatal line, and it still runs",                { signals: [crash()] },                                          []],
  ["a fatal line, and it has failed",                { attempt: over, signals: [crash()] },                           ["n2 cuda-ecc-uncorrectable 0.9 counts"]],
  ["a fatal line, and somebody requeued it",         { attempt: requeued, signals: [crash()] },                       ["n2 cuda-ecc-uncorrectable 0.9 counts"]],
  ["a fatal line, and its user cancelled it",        { attempt: cancelled, signals: [crash()] },                      ["n2 cuda-ecc-uncorrectable 0.9 counts"]],
  ["some line, and its user cancelled it",           { attempt: cancelled, signals: [crash(suspect)] },               []],
  ["it named broken hardware, and went on",          { attempt: over, signals: [crash({ at: t0 - 9_000, step: 3 })] }, []],
  ["a line that is not the end by itself",           { attempt: over, signals: [crash({ exitIndependent: false })] }, ["n2 cuda-ecc-uncorrectable 0.6 counts"]],
  ["a GPU that may be broken",                       { attempt: over, signals: [crash(suspect)] },                    ["n2 xid-suspect 0.3 counts"]],
  ["two ends of a link",                             { attempt: over, signals: [crash({ ...link, nodes: ["n2", "n1"] })] }, ["n1 ib 0.3 counts", "n2 ib 0.3 counts"]],
  ["the one end that everybody talks to",            { attempt: over, signals: [crash(link)] },                       ["n2 ib 0.3"]],
  ["a rank that was behind the others",              { attempt: over, signals: [crash({ ...hang, cause: "rank-behind" })] }, ["n2 rank-behind 0.4"]],
  ["those who waited for it",                        { attempt: over, signals: [crash({ ...hang, cause: "watchdog" })] }, []],
  ["the program's own error",                        { attempt: over, signals: [crash(program)] },                    []],
  ["the program's own error, then a GPU complains",  { attempt: over, signals: [crash({ ...program, at: t0 - 500 }), crash()] }, []],
  ["a consequence",                                  { attempt: over, signals: [crash({ root: false })] },            []],
  ["one start that died without a word",             { ...twice, earlier: [] },                                       []],
  ["two starts that died so on one node",            twice,                                                           ["n1 instant-repeat 0.4"]],
  ["it could not be launched, and one is drained",   { ...launched, nodes: drained },                                 ["n2 launch-failed 0.4 counts"]],
  ["it could not be launched, and none is drained",  launched,                                                        ["n1 launch-failed 0.4"]],
  ["a line that is older than the attempt",          { attempt: over, signals: [crash({ at: t0 - 50_000 - limits.evidenceSlackMs - 1 })], progress: {} }, []],
  ["a drained node after our own cancel (E24)",      { attempt: requeued, nodes: healthy.nodes.map((n) => ({ ...n, isEligible: false })) }, []],
];

test.each(cases)("%s", (_story, change, said) => {
  const entries = evidenceOf(fold({ ...healthy, ...change }, t0), t0);
  const words = entries?.map((e) => `${e.node} ${e.cause} ${e.confidence}${e.counts ? " counts" : ""}`);
  expect(words).toEqual(said);
});

test("while Slurm cannot be read nothing new is said, and nothing taken back", () => {
  const unseen = { ...healthy, attempt: over, signals: [crash()], pass: { takenAt: t0, unavailable: "timeout" } };
  expect(evidenceOf(fold(unseen, t0), t0)).toBeUndefined();
  expect(evidenceOf(fold({ ...unseen, attempt: { ...over, status: "DELETED" } }, t0), t0)).toBeUndefined();
});

describe("an entry", () => {
  const facts = { ...healthy, attempt: over, signals: [crash()] };
  test("has its line, its time and its end", () => {
    const [entry] = evidenceOf(fold(facts, t0), t0) ?? [];
    expect(entry).toMatchObject({ at: t0, expiresAt: t0 + limits.evidenceLifeMs, evidence: crash().evidence });
  });
  test("is gone after its end", () => {
    const late = t0 + limits.evidenceLifeMs;
    const { pass: _, ...byHand } = facts;
    expect(evidenceOf(fold(byHand, late), late)).toEqual([]);
  });
});
