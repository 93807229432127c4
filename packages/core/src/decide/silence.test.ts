/**
 * Goal    a silence that was told leads to a restart only while it stands, somebody still reads, and the author wants it; any line that
 *         may be a root explains more. A loss of throughput is told, and left alone.
 * Method  a table over the healthy situation; properties over later steps.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Coverage, Policy, Signal } from "../nouns.ts";
import { type EarlierFacts, type Facts, fold } from "../situation/situation.ts";
import { decide } from "./decide.ts";
import { attempt, crash, failed, healthy, policy, t0 } from "./decide.example.ts";

const minute = 60_000;
const silentAt = t0 + 31 * minute;

const covered = (change: Partial<Policy["anomalyDetection"]> = {}): Coverage => ({
  kind: "covered",
  policy: { ...policy, anomalyDetection: { ...policy.anomalyDetection, ...change } },
  warnings: [],
});

function silence(change: Partial<Signal> = {}): Signal {
  return crash({
    kind: "hang",
    cause: "no-further-step",
    causeClass: "hang",
    domain: "unknown",
    exitIndependent: false,
    nodes: [],
    at: silentAt,
    detail: "no further step for 31 min; the limit in the training loop allows 30 min",
    ...change,
  });
}

const read = { ...healthy.progress, logReadAt: silentAt + 1 };
const facts = (change: Partial<Facts> = {}): Facts => ({
  ...healthy,
  pass: { takenAt: silentAt, completeHeardAt: silentAt },
  progress: read,
  signals: [silence()],
  ...change,
});
const decided = (change: Partial<Facts> = {}, coverage = covered(), now = silentAt) => {
  const decision = decide(fold(facts(change), now), coverage, now);
  return decision.kind === "none"
    ? `none: ${decision.because}`
    : `${decision.desired}: ${decision.because}, ${decision.issues[0]?.cause}`;
};

const python = crash({ causeClass: "workload-deterministic", cause: "python", exitIndependent: false, nodes: [] });
const suspended = { ...attempt, jmState: "SUSPENDED" as const };

// biome-ignore format: a table of decisions reads in columns.
const cases: [situation: string, change: Partial<Facts>, coverage: Coverage, decision: string][] = [
  ["it stands, and the log is read",           {},                                              covered(), "RESTARTED: hang, no-further-step"],
  ["a step came after it",                     { progress: { ...read, lastStepAt: silentAt + 1 } }, covered(), "none: healthy"],
  ["a checkpoint was saved after it",          { progress: { ...read, checkpointAt: silentAt + 1 } }, covered(), "none: healthy"],
  ["nobody has read for a minute",             { progress: { ...read, logReadAt: silentAt - minute } }, covered(), "none: grace"],
  ["nobody has looked since it was told",      { progress: { ...read, logReadAt: silentAt } },  covered(), "none: grace"],
  ["told late, and nobody has looked since",   { signals: [silence({ recordedAt: silentAt })], progress: { ...read, logReadAt: silentAt - 10 * minute }, }, covered(), "none: grace"],
  ["the reader's clock is five minutes behind", { signals: [silence({ at: silentAt - 5 * minute, recordedAt: silentAt })], progress: { ...read, logReadAt: silentAt - 5 * minute + 1 } }, covered(), "RESTARTED: hang, no-further-step"],
  ["the reader's clock is five minutes ahead", { signals: [silence({ at: silentAt + 5 * minute, recordedAt: silentAt })], progress: { ...read, logReadAt: silentAt + 5 * minute + 1 } }, covered(), "RESTARTED: hang, no-further-step"],
  ["a file of it cannot be read",              { progress: { ...healthy.progress, logReadAt: undefined as never } }, covered(), "none: grace"],
  ["the job is suspended",                     { attempt: suspended },                          covered(), "none: healthy"],
  ["the author watches for no silence",        {},                                              covered({ logBasedTimeout: false }), "none: healthy"],
  ["the author watches for silence only",      { signals: [python, silence()] },                covered({ logBasedCrash: false }), "RESTARTED: hang, no-further-step"],
  ["an error line came before it",             { signals: [silence(), python] },                covered(), "RESTARTED: workload-deterministic, python"],
  ["a watchdog speaks only after it",          { signals: [silence(), silence({ cause: "nccl-watchdog-timeout", at: silentAt + minute })] }, covered(), "RESTARTED: hang, nccl-watchdog-timeout"],
  ["then it failed, and no line says why",     { attempt: failed("FAILED"), progress: { ...read, logEndedAt: silentAt } }, covered(), "RESTARTED: hang, no-further-step"],
  ["then Slurm lost its node",                 { attempt: failed("NODE_FAIL"), progress: { ...read, logEndedAt: silentAt } }, covered(), "RESTARTED: scheduler, NODE_FAIL"],
  ["then it was preempted",                    { attempt: failed("PREEMPTED"), progress: { ...read, logEndedAt: silentAt } }, covered(), "RESTARTED: scheduler, PREEMPTED"],
  ["then its time was up",                     { attempt: failed("TIMEOUT"), progress: { ...read, logEndedAt: silentAt } }, covered(), "RESTARTED: hang, no-further-step"],
];

describe("a silence", () => {
  test.each(cases)("%s", (_situation, change, coverage, decision) => {
    expect(decided(change, coverage)).toBe(decision);
  });

  test("that no step has contradicted restarts, one that any later step has contradicted never does", () => {
    fc.assert(
      fc.property(fc.integer({ min: -minute, max: minute }), (later) => {
        const answer = decided({ progress: { ...read, lastStepAt: silentAt + later } });
        expect(answer.startsWith("RESTARTED")).toBe(later <= 0);
      }),
    );
  });

  test("at the same step again, with nothing saved between, ends the job", () => {
    const first = decide(fold(facts(), silentAt), covered(), silentAt);
    if (first.kind !== "advise") throw new Error("expected a restart");
    const earlier = { attempt: { ...attempt, status: "STOPPED" as const }, progress: read, signals: [silence()] };
    const advised = {
      ...earlier,
      advice: { ...first, heimdallJobId: attempt.heimdallJobId },
    } as unknown as EarlierFacts;
    const carriedOut = {
      ...advised,
      requeuedByUs: true,
      advice: { ...advised.advice!, status: { reason: "UNSPECIFIED", disposition: "CONVERGED" } as never },
    };
    const again = { attempt: { ...attempt, attemptIndex: 1 }, earlier: [carriedOut] };
    expect(decided({ ...again })).toBe("TERMINATED: restart_once, no-further-step");
    const further = { ...read, lastStep: 13 };
    expect(decided({ ...again, progress: further, signals: [silence({ step: 13 })] })).toMatch(/^RESTARTED/);
  });

  test("keeps the successor away from the node of the rank that is behind, with little confidence", () => {
    const decision = decide(
      fold(facts({ signals: [silence({ nodes: ["n2"], rank: 9 })] }), silentAt),
      covered(),
      silentAt,
    );
    expect(decision).toMatchObject({
      exclusions: [{ node: "n2", confidence: 0.4 }],
      sentence: expect.stringContaining("no further step for 31 min"),
    });
  });

  test("told by those who wait excludes nobody", () => {
    const waiter = silence({ cause: "nccl-watchdog-timeout", nodes: ["n1"], rank: 3 });
    expect(decide(fold(facts({ signals: [waiter] }), silentAt + 60 * minute), covered(), silentAt)).toMatchObject({
      kind: "none",
    });
    const decision = decide(
      fold(facts({ attempt: failed("FAILED"), signals: [waiter] }), silentAt),
      covered(),
      silentAt,
    );
    expect(decision).toMatchObject({ desired: "RESTARTED", exclusions: [] });
  });
});

describe("a loss of throughput", () => {
  const change = (cause: string, at: number): Signal =>
    crash({
      kind: "slowdown",
      cause,
      causeClass: "slowdown",
      domain: "hardware",
      root: false,
      exitIndependent: false,
      nodes: [],
      at,
      detail: "steps are 6 % longer",
    });
  const lost = change("throughput-lost", silentAt - 1);

  test("is told with its size, and left alone", () => {
    const decision = decide(fold(facts({ signals: [lost] }), silentAt), covered({ slowdown: true }), silentAt);
    expect(decision).toMatchObject({
      kind: "none",
      because: "slowdown",
      sentence: "Training has slowed down, and is left alone: steps are 6 % longer.",
      issues: [{ kind: "slowdown", domain: "hardware", summary: "steps are 6 % longer" }],
    });
  });

  test.each([
    ["that was regained is over", [lost, change("throughput-regained", silentAt)], true, "none: healthy"],
    ["that nobody watches for is not told", [lost], false, "none: healthy"],
    ["explains no failure", [lost], true, "RESTARTED: unexplained, FAILED"],
  ])("%s", (_what, signals, slowdown, decision) => {
    const isOver = decision.startsWith("RESTARTED");
    const over = { attempt: failed("FAILED"), progress: { ...read, logEndedAt: silentAt } };
    expect(decided({ signals, ...(isOver ? over : {}) }, covered({ slowdown }))).toBe(decision);
  });
});
