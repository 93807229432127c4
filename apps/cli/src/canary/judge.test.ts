/**
 * Goal    a canary passes only when every single step was seen; each failure says which step, why, and what to do.
 * Method  one canary that came back; each row takes one thing away, while it may still come and once the time is up.
 */
import { describe, expect, test } from "vitest";
import type { WireAdvice, WireStory } from "../wire.ts";
import { cameBack, firstAttempt, secondAttempt, submittedAt } from "./canary.example.ts";
import { type CanarySeen, judge } from "./judge.ts";

const [theAdvice] = firstAttempt.advice;
const first = (change: Partial<WireStory>): Partial<CanarySeen> => ({
  explain: { attempts: [{ ...firstAttempt, ...change }, secondAttempt] },
});
const job = (change: object) => first({ job: { ...firstAttempt.job, ...change } });
const advice = (change: Partial<WireAdvice>) => first({ steps: [], advice: [{ ...theAdvice, ...change }] });
const status = (disposition: string, reason: string, message: string) =>
  advice({
    reconciliationStatus: {
      disposition: `ADVICE_RECONCILIATION_DISPOSITION_${disposition}`,
      reason: `ADVICE_RECONCILIATION_REASON_${reason}`,
      message,
    },
  });
const second = (change: object): Partial<CanarySeen> => ({
  explain: { attempts: [firstAttempt, { ...secondAttempt, job: { ...secondAttempt.job, ...change } }] },
});
const slurm = (change: Partial<NonNullable<CanarySeen["slurm"]>>): Partial<CanarySeen> => ({
  slurm: { state: "COMPLETED", reason: "None", isHeld: false, restarts: 1, nodes: "n2", excluded: ["n1"], ...change },
});
const without = (action: string) => first({ steps: firstAttempt.steps.filter((step) => step.action !== action) });
const failedAt = (seen: CanarySeen) => judge(seen).steps.find(({ verdict }) => verdict === "fail");

test("a canary that came back has passed, with the time of each step", () => {
  const { outcome, steps } = judge(cameBack);
  expect(outcome).toBe("passed");
  expect(steps.map(({ name, verdict, seconds }) => [name, verdict, seconds])).toEqual([
    ["known", "ok", 1],
    ["started", "ok", 1],
    ["failed", "ok", 8],
    ["recognised", "ok", 6],
    ["advised", "ok", 8],
    ["requeued, held", "ok", 9],
    ["constrained", "ok", 10],
    ["released", "ok", 11],
    ["started again", "ok", 14],
    ["completed", "ok", 30],
    ["confirmed", "ok", 20],
    ["restarted once", "ok", undefined],
  ]);
});

const mayComeYet: [step: string, what: string, change: Partial<CanarySeen>][] = [
  ["known", "the server has not heard of it", { explain: { attempts: [] } }],
  ["known", "its comment was not read yet", first({ covered: false, notCoveredBecause: "" })],
  [
    "started",
    "it waits in the queue",
    { ...job({ schedulerMetadata: {} }), ...slurm({ state: "PENDING", restarts: 0 }) },
  ],
  ["started", "SAC has not seen its start", job({ schedulerMetadata: {} })],
  ["failed", "it runs", job({ state: "JOB_STATUS_RUNNING" })],
  ["recognised", "nobody has read its line, and nothing was decided", first({ signals: [], advice: [] })],
  ["advised", "there is no Advice", first({ advice: [] })],
  [
    "requeued, held",
    "the requeue has an unknown outcome",
    first({ steps: firstAttempt.steps.slice(0, 1), advice: [{ ...theAdvice, reconciliationStatus: {} }] }),
  ],
  ["constrained", "the exclusion has not been sent", without("update-constraints")],
  ["constrained", "Slurm does not show the exclusion", slurm({ excluded: ["n3"] })],
  ["released", "it is still held", without("release")],
  ["started again", "it has not started again", { explain: { attempts: [firstAttempt] } }],
  ["completed", "it runs again", second({ state: "JOB_STATUS_RUNNING" })],
  ["completed", "Slurm does not say that it completed", slurm({ state: "RUNNING" })],
  ["confirmed", "no second look has confirmed it", first({ advice: [{ ...theAdvice, reconciliationStatus: {} }] })],
];
test.each(mayComeYet)("%s: %s: it is waited for, and a failure once the time is up", (step, _what, change) => {
  const seen = { ...cameBack, ...change };
  expect(judge(seen).outcome).toBe("running");
  const late = failedAt({ ...seen, isTimeUp: true });
  expect([late?.name, late?.todo === ""]).toEqual([step, false]);
});

const neverComes: [step: string, what: string, change: Partial<CanarySeen>, says: RegExp][] = [
  [
    "known",
    "the job is not covered",
    first({ covered: false, notCoveredBecause: "environment-mismatch" }),
    /environment/,
  ],
  [
    "started",
    "somebody cancelled it",
    { ...job({ schedulerMetadata: {} }), ...slurm({ state: "CANCELLED" }) },
    /cancelled/,
  ],
  ["failed", "it did not fail", job({ state: "JOB_STATUS_COMPLETED" }), /COMPLETED/],
  ["recognised", "it was decided by the state alone", first({ signals: [] }), /no watcher.*unexplained/],
  [
    "advised",
    "its end was advised",
    advice({ desiredState: "ADVICE_DESIRED_STATE_TERMINATED", because: "max_requeue_times" }),
    /TERMINATED.*max_requeue_times/,
  ],
  [
    "requeued, held",
    "SAC gave it up",
    status("ABANDONED", "HELD_BY_OTHERS", "a hold that is not ours"),
    /HELD_BY_OTHERS.*not ours/,
  ],
  [
    "requeued, held",
    "SAC acts elsewhere",
    status("PENDING", "OBSERVE_MODE", "partition gpu is not on the allowlist (long)"),
    /SAC may not: partition gpu/,
  ],
  [
    "released",
    "the watchdog had to release it",
    first({ steps: [...firstAttempt.steps, { action: "watchdog-release", outcome: "done" }] }),
    /watchdog/,
  ],
  ["started again", "it runs on the node that it should avoid", second({ nodes: ["n1"] }), /n1 again/],
  ["completed", "it failed again", second({ state: "JOB_STATUS_FAILED" }), /FAILED/],
  ["restarted once", "it was requeued twice", slurm({ restarts: 2 }), /2 restarts/],
];
test.each(neverComes)("%s: %s: nobody waits for what will not come", (step, _what, change, says) => {
  const failure = failedAt({ ...cameBack, ...change });
  expect([failure?.name, failure?.todo === undefined]).toEqual([step, false]);
  expect(failure?.says).toMatch(says);
});

describe("in observe mode", () => {
  const observed = {
    ...cameBack,
    ...status("PENDING", "OBSERVE_MODE", "observe mode; would have been done: the source is requeued, held"),
  };

  test("it passes as far as that goes, and claims nothing after the Advice", () => {
    const { outcome, steps } = judge(observed);
    expect(outcome).toBe("observed");
    expect(steps.map(({ verdict }) => verdict).join(" ")).toBe(
      "ok ok ok ok ok would unproven unproven unproven unproven unproven unproven",
    );
    expect(steps[5]?.says).toContain("would have been done: the source is requeued");
  });
});

test("where the Advice keeps away from no node it says why, and goes on", () => {
  const change = advice({ nodeConstraints: { exclusions: [] } });
  const seen = { ...cameBack, ...change };
  const [story = {}] = seen.explain?.attempts ?? [];
  const dropped = {
    ...story,
    steps: firstAttempt.steps,
    advised: { nodes: [{ node: "n1", excluded: false, why: "too few nodes" }] },
  };
  const { outcome, steps } = judge({ ...seen, explain: { attempts: [dropped, secondAttempt] } });
  expect([outcome, steps.find(({ name }) => name === "constrained")?.says]).toEqual([
    "passed",
    expect.stringContaining("too few nodes"),
  ]);
});

test("where Slurm cannot be asked, that is what is told", () => {
  const { slurm: _, ...blind } = cameBack;
  expect(failedAt({ ...blind, slurmSays: "Unable to contact slurm controller", isTimeUp: true })).toMatchObject({
    name: "known",
    says: expect.stringContaining("Unable to contact"),
  });
});

test("before anything was seen nothing is claimed, and the server's own words are told", () => {
  const seen: CanarySeen = {
    jobId: "7",
    partition: "gpu",
    output: "",
    submittedAt,
    isTimeUp: true,
    serverSays: "nothing listens there",
  };
  expect(judge({ ...seen, isTimeUp: false }).outcome).toBe("running");
  expect(failedAt(seen)).toMatchObject({ name: "known", says: "nothing listens there" });
});
