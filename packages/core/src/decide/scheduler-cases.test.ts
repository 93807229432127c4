/**
 * Goal    what schedulers have done to people, and what deciding must conclude from it.
 * Method  one row a public report; each changes the healthy attempt as the report tells it. What carrying out must conclude stands
 *         with plan and with SAC.
 */
import { describe, expect, test } from "vitest";
import type { Advice, Coverage, Policy } from "../nouns.ts";
import { coverageOf } from "../policy/coverage-of.ts";
import { commentOf } from "../policy/policy.example.ts";
import { type EarlierFacts, type Facts, fold } from "../situation/situation.ts";
import { attempt, crash, failed, healthy, policy, t0 } from "./decide.example.ts";
import { decide } from "./decide.ts";
import type { Decision } from "./decision.ts";

const covered = (change: Partial<Policy> = {}): Coverage => ({
  kind: "covered",
  policy: { ...policy, ...change },
  warnings: [],
});
const read = { ...healthy.progress, logEndedAt: t0 };
const { startedAt: _started, ...neverStarted } = {
  ...attempt,
  attemptIndex: 1,
  status: "PENDING" as const,
  jmState: "PENDING" as const,
};
const successor = neverStarted;
const signalled = (state: "FAILED" | "TIMEOUT" | "PREEMPTED", signal: number) => {
  const record = failed(state, 0);
  return { ...record, schedulerMetadata: { slurm: { ...(record.schedulerMetadata["slurm"] as object), signal } } };
};
const converged = { disposition: "CONVERGED", reason: "DESIRED_STATE_OBSERVED" };
const open = {
  desired: "RESTARTED",
  charged: true,
  rootKey: "",
  exclusions: [],
  status: converged,
} as unknown as Advice;
/** An attempt that ended without a word a few seconds after its start. */
const instant = { startedAt: t0 - 3_000, nodes: ["n1"] };
const noStep = { logEndedAt: t0 };
const instantBefore: EarlierFacts = {
  attempt: { ...failed("FAILED"), ...instant, startedAt: t0 - 9_000, endedAt: t0 - 6_000 },
  progress: noStep,
  signals: [],
};
/** Slurm brought it back by itself; nobody advised it. */
const preempted = Array.from({ length: 7 }, (_, index) => ({
  attempt: { ...failed("PREEMPTED"), attemptIndex: index },
  progress: { lastStep: index },
  signals: [],
}));
/** Slurm could not launch attempt 0 on n1; it drained the node and holds the job, whose count is one higher. */
const { startedAt: __, ...launching } = attempt;
const launchHeld = (reason: string, index = 1) => ({
  ...launching,
  attemptIndex: index,
  status: "PENDING" as const,
  jmState: "PENDING" as const,
  schedulerMetadata: { slurm: { ...(attempt.schedulerMetadata["slurm"] as object), slurmState: "PENDING", reason } },
});
const notLaunched = (index: number, launchReleaseAdvised = false): EarlierFacts => ({
  attempt: { ...attempt, attemptIndex: index, status: "STOPPED", jmState: "REQUEUED", nodes: ["n1", "n2"] },
  progress: {},
  signals: [],
  launchReleaseAdvised,
});
const drained = (...names: string[]) =>
  ["n1", "n2", "n3", "n4", "n5"].map((name) => ({ name, isEligible: !names.includes(name), partitions: ["gpu"] }));
const launch = "launch failed requeued held";
const cut = coverageOf({ schedulerMetadata: { recovery: { comment: commentOf(policy).slice(0, 60) } } });

// biome-ignore format: a table
const cases: [id: string, report: string, change: Partial<Facts>, coverage: Coverage, decision: string][] = [
  ["E01", "launch failed requeued held: let go, without the node that Slurm has drained", { attempt: launchHeld(launch), earlier: [notLaunched(0)], nodes: drained("n2") }, covered(), "RELEASED without n2: launch-failed"],
  ["E01", "none of them is drained: without the batch host", { attempt: launchHeld(launch), earlier: [notLaunched(0)], nodes: drained() }, covered(), "RELEASED without n1: launch-failed"],
  ["E01", "nobody has seen where: Slurm has drained the node itself", { attempt: launchHeld("launch_failed_requeued_held") }, covered(), "RELEASED: launch-failed"],
  ["E01", "off beats it", { attempt: launchHeld(launch) }, covered({ autoResumeMode: "off" }), "none, withdraw: off"],
  ["E02", "released once, and held again", { attempt: launchHeld(launch, 2), earlier: [notLaunched(0), notLaunched(1, true)] }, covered(), "RELEASED without n1: launch-failed"],
  ["E02", "released twice, and held again: it stays held", { attempt: launchHeld(launch, 3), earlier: [notLaunched(0), notLaunched(1, true), notLaunched(2, true)] }, covered(), "none: launch-failed-again"],
  ["E02", "released twice, launched in between, and advised about anew: it stays held", { attempt: launchHeld(launch, 3), earlier: [notLaunched(0), { ...notLaunched(1, true), advice: open }, notLaunched(2, true)] }, covered(), "none: launch-failed-again"],
  ["E03", "held by the limit: never released", { attempt: launchHeld("launch failure limit exceeded requeued held") }, covered(), "none: launch-limit"],
  ["E03", "…as newer releases say it", { attempt: launchHeld("JobHoldMaxRequeue") }, covered(), "none: launch-limit"],
  ["E05", "held by anybody else: left alone", { attempt: launchHeld("JobHeldUser") }, covered(), "none, withdraw: pending"],
  ["E10", "Slurm requeued it, and it runs again: a late decision never touches the next attempt", { attempt: failed("NODE_FAIL"), successor: { ...successor, startedAt: t0 }, progress: read }, covered(), "none: overtaken"],
  ["E10", "Slurm requeued it, and it waits: nothing to add", { attempt: { ...attempt, status: "STOPPED", jmState: "REQUEUED" }, successor }, covered(), "none: requeued-by-others"],
  ["E13", "TIMEOUT is the time limit, whatever the signal", { attempt: signalled("TIMEOUT", 9), progress: read }, covered(), "RESTARTED: scheduler"],
  ["E13", "PREEMPTED is pre-emption, whatever the signal", { attempt: signalled("PREEMPTED", 15), progress: read }, covered(), "RESTARTED: scheduler"],
  ["E13", "a signal alone is neither", { attempt: signalled("FAILED", 15), progress: read }, covered(), "RESTARTED: unexplained"],
  ["E15", "its user cancelled it: not restarted, and an open restart is taken back", { attempt: { ...attempt, status: "CANCELLED", jmState: "CANCELLED" }, signals: [crash()], advice: open }, covered(), "none, withdraw: cancelled"],
  ["E16", "Slurm has forgotten it", { attempt: { ...attempt, status: "DELETED" }, signals: [crash()] }, covered(), "none: not-in-scheduler"],
  ["E17", "the successor waits for its BeginTime: it is not stuck", { attempt: { ...attempt, status: "PENDING", jmState: "PENDING" } }, covered(), "none, withdraw: pending"],
  ["E19", "Slurm's count is no failure count: seven pre-emptions leave the budget whole", { attempt: { ...failed("FAILED"), attemptIndex: 7 }, earlier: preempted, progress: read }, covered({ maxRequeueTimes: 1 }), "RESTARTED: unexplained"],
  ["E22", "a comment that was cut is no policy", { attempt: failed("FAILED"), signals: [crash()] }, cut, "none: not-covered"],
  ["F01", "Slurm could not be asked: unknown is not failed", { attempt: failed("FAILED"), signals: [crash()], pass: { takenAt: t0, unavailable: "Socket timed out" } }, covered(), "none: scheduler-unseen"],
  ["F02", "missing from a listing that failed is not gone", { signals: [crash()], pass: { takenAt: t0, unavailable: "connect failure", completeHeardAt: t0 } }, covered(), "none: scheduler-unseen"],
  ["F09", "one bad node eats the budget: the first time it may be anything", { attempt: { ...failed("FAILED"), ...instant }, progress: noStep }, covered(), "RESTARTED: unexplained"],
  ["F09", "at its second instant failure the node is avoided, with a delay", { attempt: { ...failed("FAILED"), ...instant, attemptIndex: 1 }, progress: noStep, earlier: [instantBefore] }, covered(), "RESTARTED without n1: unexplained"],
  ["F14", "off beats the scheduler", { attempt: failed("PREEMPTED"), progress: read }, covered({ autoResumeMode: "off" }), "none, withdraw: off"],
  ["F14", "off beats every detector", { attempt: failed("FAILED"), signals: [crash()] }, covered({ autoResumeMode: "off" }), "none, withdraw: off"],
  ["F14", "one restart at most is not off: it is spent first", { attempt: failed("FAILED"), signals: [crash()] }, covered({ maxRequeueTimes: 0 }), "TERMINATED: max_requeue_times"],
];

test.each(cases)("%s: %s", (_id, _report, change, coverage, decision) => {
  expect(show(decide(fold({ ...healthy, ...change }, t0), coverage, t0))).toBe(decision);
});

describe("F09: an instant failure without a log, twice on one node", () => {
  const second = { ...healthy, attempt: { ...failed("FAILED"), ...instant, attemptIndex: 1 }, progress: noStep };
  const advised = { ...instantBefore, advice: { ...open, rootKey: "unexplained|FAILED 1:0|-|-" } };

  test("is the node's, and not charged to the author who pays for his own failures only", () => {
    const decision = decide(fold({ ...second, earlier: [advised] }, t0), covered({ charge: "workload" }), t0);
    expect(decision).toMatchObject({ charged: false, startDelayMs: 30_000, issues: [{ domain: "hardware" }] });
  });
  test("on two nodes is not", () => {
    const elsewhere = { ...advised, attempt: { ...advised.attempt, nodes: ["n2"] } };
    const decision = decide(fold({ ...second, earlier: [elsewhere] }, t0), covered({ charge: "workload" }), t0);
    expect(decision).toMatchObject({ charged: true, exclusions: [], issues: [{ domain: "unknown" }] });
  });
});

test("F12: Advice that ends a job names its cause, the line or the exit code, and the bound that ended it", () => {
  const facts = { ...healthy, attempt: failed("FAILED", 7), progress: read };
  expect(decide(fold(facts, t0), covered({ maxRequeueTimes: 0 }), t0)).toMatchObject({
    desired: "TERMINATED",
    because: "max_requeue_times",
    sentence: expect.stringContaining("FAILED NonZeroExitCode 7:0"),
    budgets: expect.arrayContaining([{ bound: "max_requeue_times", spent: 0, allowed: 0 }]),
  });
});

test("G03: time-outs of two hundred ranks over half an hour are one incident with one answer", () => {
  const timeOut = (rank: number) =>
    crash({
      kind: "hang",
      cause: "watchdog",
      causeClass: "hang",
      rank,
      nodes: [`n${(rank % 2) + 1}`],
      at: t0 - 1_800_000 + rank * 9_000,
    });
  const all = Array.from({ length: 200 }, (_, rank) => timeOut(rank));
  const progress = { ...read, lastStepAt: t0 - 2_000_000 };
  const answers = [1, 2, 50, 200].map((count) => {
    const longRunning = { ...failed("FAILED"), startedAt: t0 - 7_200_000 };
    const facts = { ...healthy, attempt: longRunning, progress, signals: all.slice(0, count) };
    const decision = decide(fold(facts, t0), covered(), t0);
    return decision.kind === "advise" && [decision.desired, decision.because, decision.rootKey, decision.exclusions];
  });
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
});

test("G05: retries end by count and by time, whichever comes first, and the record says which", () => {
  const restarted = (index: number, lastStep: number): EarlierFacts => ({
    attempt: { ...failed("FAILED"), attemptIndex: index, endedAt: t0 - (9 - index) * 3_600_000 },
    progress: { lastStep },
    signals: [],
    advice: open,
  });
  const stuck = [restarted(0, 12), restarted(1, 12)];
  const after = (earlier: readonly EarlierFacts[], change: Partial<Policy>) => {
    const facts = { ...healthy, attempt: { ...failed("FAILED"), attemptIndex: 2 }, progress: read, earlier };
    return show(decide(fold(facts, t0), covered({ maxFailuresWithoutProgress: 50, ...change }), t0));
  };
  expect(after(stuck, { maxRequeueTimes: 2 })).toBe("TERMINATED: max_requeue_times");
  expect(after(stuck, { maxRequeueTimes: 9, maxRecoveryHours: 8 })).toBe("TERMINATED: max_recovery_hours");
  expect(after(stuck, { maxRequeueTimes: 9, maxRecoveryHours: 10 })).toBe("RESTARTED: unexplained");
});

function show(d: Decision): string {
  if (d.kind === "none") return `none${d.withdraw ? ", withdraw" : ""}: ${d.because}`;
  const without = d.exclusions.length === 0 ? "" : ` without ${d.exclusions.map((e) => e.node).join(" ")}`;
  return `${d.desired}${without}: ${d.because}`;
}
