/**
 * Goal    `recovered` is true only when every single thing was seen; and the JSON has the shape that scripts rely on.
 * Method  one result where all is true; each row takes one thing away.
 */
import { describe, expect, test } from "vitest";
import type { WireStory } from "../wire.ts";
import { explain, seenAtTheEnd } from "./demo.example.ts";
import { resultOf, type Seen } from "./result.ts";

const [failed = {}, successor = {}] = explain.attempts ?? [];
const [advice = {}] = failed.advice ?? [];
const withFailed = (change: Partial<WireStory>): Partial<Seen> => ({
  explain: { attempts: [{ ...failed, ...change }, successor] },
});
const [first = {}, second = {}] = seenAtTheEnd.jobs;

test("the whole result", () => {
  expect(resultOf(seenAtTheEnd)).toEqual({
    recovered: true,
    simulated: false,
    scheduler: "slurm",
    jobId: "1",
    attempts: [
      { attemptIndex: 0, state: "STOPPED", nodes: ["n1", "n2"] },
      { attemptIndex: 1, state: "COMPLETED", nodes: ["n3", "n4"] },
    ],
    advice: {
      desiredState: "RESTARTED",
      disposition: "CONVERGED",
      reason: "DESIRED_STATE_OBSERVED",
      exclusions: ["n2"],
      generation: 1,
    },
    slowdown: null,
    resumedFromStep: 40,
    lastStepBeforeFault: 47,
    completed: true,
    seconds: { detect: 0.4, decide: 5.9, act: 6.5, running: 9.8, resumed: 11.3, converged: 14 },
  });
});

const missing: [what: string, change: Partial<Seen>][] = [
  [
    "nothing was seen",
    {
      jobs: [],
      explain: undefined,
      fault: undefined,
      checkpointStep: undefined,
      lastStepBeforeFault: undefined,
      hasResult: false,
    },
  ],
  ["no Advice was written", withFailed({ advice: [] })],
  [
    "the Advice is open",
    withFailed({
      advice: [{ ...advice, reconciliationStatus: { disposition: "ADVICE_RECONCILIATION_DISPOSITION_PENDING" } }],
    }),
  ],
  [
    "the Advice says something else",
    withFailed({ advice: [{ ...advice, desiredState: "ADVICE_DESIRED_STATE_TERMINATED" }] }),
  ],
  ["the program wrote no result", { hasResult: false }],
  ["Slurm does not say that it completed", { jobs: [first, { ...second, state: "JOB_STATUS_RUNNING" }] }],
  ["there was no second attempt", { jobs: [{ ...first, state: "JOB_STATUS_COMPLETED" }] }],
  ["it was restarted twice", { jobs: [first, second, { ...second, attemptIndex: 2 }] }],
  ["it ran again on the excluded node", { jobs: [first, { ...second, nodes: ["n1", "n2"] }] }],
  ["nobody saw it resume", withFailed({ stages: {} })],
  ["it resumed from another step than the newest checkpoint's", { checkpointStep: 20 }],
  ["no checkpoint was seen", { checkpointStep: undefined }],
  ["one of the times is missing", withFailed({ seconds: { ...failed.seconds, act: "" } })],
  ["one of the times lies before the fault", withFailed({ seconds: { ...failed.seconds, act: -20 } })],
];
test.each(missing)("not recovered: %s", (_what, change) => {
  expect(resultOf({ ...seenAtTheEnd, ...change }).recovered).toBe(false);
});

test("where Slurm's end state was all there was, nothing was detected, and the job has come back all the same", () => {
  const { detect: _, ...seconds } = failed.seconds as Record<string, string | number>;
  const result = resultOf({ ...seenAtTheEnd, ...withFailed({ seconds }) });
  expect(result).toMatchObject({ recovered: true, seconds: { detect: null } });
});

describe("a loss of throughput, from which nothing recovers,", () => {
  const { advice: _, ...alike } = failed;
  const told = { kind: "slowdown", cause: "throughput-lost", root: false, detail: "steps are 132 % longer" };
  const alone: Seen = {
    ...seenAtTheEnd,
    faultKind: "slow",
    jobs: [{ ...second, attemptIndex: 0 }],
    explain: { ...explain, attempts: [{ ...alike, signals: [told] }] },
  };

  test("is told, and the job is left alone", () => {
    expect(resultOf(alone)).toMatchObject({ recovered: true, slowdown: "steps are 132 % longer", advice: null });
  });

  test.each([
    ["nobody told of", { explain: { ...explain, attempts: [{ ...alike, signals: [] }] } }],
    ["of a job that was restarted", { jobs: seenAtTheEnd.jobs }],
    ["of a job that has not completed", { hasResult: false }],
  ])("%s proves nothing", (_what, change) => {
    expect(resultOf({ ...alone, ...change }).recovered).toBe(false);
  });
});
