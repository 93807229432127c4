/**
 * Goal    each figure is what docs/figures.md says, and what was not seen is in none of them.
 * Method  few round records; quantiles and ratios as properties.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effectiveOf, type RunRecord } from "./effective.ts";
import { median, quantile, spreadOf } from "./quantile.ts";
import { outcomeOf, type RecoveryRecord, recoveryFiguresOf, secondsOf } from "./recovery.ts";

const t0 = 1_800_000_000_000;
const [s, minute, hour] = [1_000, 60_000, 3_600_000];

describe("a quantile", () => {
  test("is a value that was measured, by nearest rank", () => {
    expect(median([])).toBeUndefined();
    expect(median([4, 1, 3, 2])).toBe(2);
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect([0, 0.01, 0.5, 0.95, 0.99, 1].map((share) => quantile(hundred, share))).toEqual([1, 1, 50, 95, 99, 100]);
    expect(spreadOf([3, 1, 2, 10])).toEqual({ count: 4, mean: 4, median: 2, p95: 10 });
    expect(spreadOf([])).toBeUndefined();
  });
  test("is the smallest value that so many are not above", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, share) => {
          const found = quantile(values, share)!;
          const notAbove = (value: number) => values.filter((v) => v <= value).length >= share * values.length;
          expect(values).toContain(found);
          expect(notAbove(found)).toBe(true);
          for (const value of values) if (value < found) expect(notAbove(value)).toBe(false);
        },
      ),
    );
  });
});

function recovery(change: Partial<RecoveryRecord> = {}): RecoveryRecord {
  return {
    heimdallJobId: "u",
    desired: "RESTARTED",
    because: "hardware-node",
    causeClass: "hardware-node",
    domain: "hardware",
    disposition: "CONVERGED",
    reason: "DESIRED_STATE_OBSERVED",
    isWithdrawn: false,
    expiresAt: t0 + hour,
    nodes: 4,
    hasDetails: true,
    rootAt: t0,
    decidedAt: t0 + 5 * s,
    ...change,
  };
}
const figures = (...records: readonly RecoveryRecord[]) => recoveryFiguresOf(records, hour, t0 + 2 * hour);

describe("recoveries", () => {
  test("what was seen is told in seconds since the root, and the rest is absent", () => {
    expect(secondsOf(recovery({ detectedAt: t0 + 250, resumedAt: t0 + 10 * s }))).toEqual({
      detect: 0.25,
      decide: 5,
      resumed: 10,
    });
  });

  // biome-ignore format: a table is read by columns
  test.each<[change: Partial<RecoveryRecord>, outcome: string]>([
    [{},                                                                       "restarted"],
    [{ desired: "TERMINATED", because: "max_requeue_times" },                  "stopped"],
    [{ disposition: "ABANDONED", reason: "SUPERSEDED" },                       "overtaken"],
    [{ disposition: "ABANDONED", reason: "HELD_BY_OTHERS" },                   "given-up"],
    [{ disposition: "ABANDONED", reason: "WITHDRAWN", isWithdrawn: true },     "withdrawn"],
    [{ disposition: "PENDING", reason: "UNSPECIFIED", expiresAt: t0 + 3*hour}, "open"],
    [{ disposition: "PENDING", reason: "OBSERVE_MODE", expiresAt: t0 + 3*hour},"observed"],
    [{ disposition: "PENDING", reason: "OBSERVE_MODE" },                       "expired"],
  ])("%j stands as %s", (change, outcome) => {
    expect(outcomeOf(recovery(change), t0 + 2 * hour)).toBe(outcome);
  });

  test("are counted by cause and outcome, the most first, and by what stopped them", () => {
    const spent = recovery({
      desired: "TERMINATED",
      because: "max_requeue_times",
      causeClass: "unexplained",
      domain: "unknown",
    });
    const held = recovery({ disposition: "ABANDONED", reason: "HELD_BY_OTHERS" });
    expect(figures(recovery({ disposition: "ABANDONED", reason: "SUPERSEDED" })).stoppedBy).toEqual([]);
    const { recoveries, byCause, stoppedBy, stages } = figures(
      held,
      spent,
      recovery(),
      recovery({ completedAt: t0 + hour }),
    );
    expect(recoveries).toBe(4);
    expect(byCause).toEqual([
      { causeClass: "hardware-node", domain: "hardware", outcome: "restarted", count: 2 },
      { causeClass: "hardware-node", domain: "hardware", outcome: "given-up", count: 1 },
      { causeClass: "unexplained", domain: "unknown", outcome: "stopped", count: 1 },
    ]);
    expect(stoppedBy).toEqual([
      { bound: "HELD_BY_OTHERS", count: 1 },
      { bound: "max_requeue_times", count: 1 },
    ]);
    expect(stages).toEqual({ schedulerRecovered: 2, trainingResumed: 0, trainingCompleted: 1 });
  });

  test("times are of recoveries in which they were seen; an order of a person, what was withdrawn and what has faded are in none", () => {
    const resumedAt = t0 + 30 * minute;
    const { times, saved, withoutDetails } = figures(
      recovery({ resumedAt }),
      recovery({ resumedAt: t0 + 90 * minute }),
      recovery(),
      recovery({ resumedAt, because: "override-restart" }),
      recovery({ resumedAt, isWithdrawn: true }),
      recovery({ resumedAt, hasDetails: false }),
    );
    expect(times).toEqual({
      decide: { count: 3, mean: 5, median: 5, p95: 5 },
      resumed: { count: 2, mean: 3600, median: 1800, p95: 5400 },
    });
    // Half an hour before the person, and half an hour behind him.
    expect(saved).toEqual({ recoveries: 2, hours: 0, nodeHours: 0 });
    expect(withoutDetails).toBe(1);
    expect(figures(recovery({ resumedAt })).saved).toEqual({ recoveries: 1, hours: 0.5, nodeHours: 2 });
  });

  test("of nothing are nothing", () => {
    expect(figures()).toMatchObject({ recoveries: 0, byCause: [], stoppedBy: [], times: {}, saved: { hours: 0 } });
  });
});

const window = { from: t0, to: t0 + 10 * hour };
const run = (change: Partial<RunRecord> = {}): RunRecord => ({
  heimdallJobId: "u",
  cluster: "c",
  jobId: "1",
  incarnation: 0,
  nodes: 2,
  fromAt: t0,
  endedAt: t0 + 2 * hour,
  progress: { firstStep: 0, firstStepAt: t0 + hour, lastStep: 100, lastStepAt: t0 + 2 * hour },
  ...change,
});
const effective = (...runs: readonly RunRecord[]) => effectiveOf(runs, window, t0 + 10 * hour);

describe("the effective time", () => {
  test("is from the first to the last step, over the time from the start to the end", () => {
    expect(effective(run())).toEqual({
      ratio: 0.5,
      keptNodeHours: 2,
      elapsedNodeHours: 4,
      jobs: 1,
      jobsWithoutSteps: 0,
    });
  });
  test("is without the steps that had to be done again", () => {
    expect(effective(run({ resumedFromStep: 50 }))).toMatchObject({ ratio: 0.25 });
    expect(effective(run({ resumedFromStep: 0 }))).toMatchObject({ ratio: 0 });
    expect(effective(run({ resumedFromStep: 500 }))).toMatchObject({ ratio: 0.5 });
  });
  test("counts the wait for the next start, to now where it lasts", () => {
    const { endedAt: _, ...waiting } = run({ fromAt: t0 + 2 * hour, progress: {} });
    expect(effective(run(), waiting)).toMatchObject({ ratio: 0.1, jobs: 1 });
  });
  test("is cut at the ends of the window", () => {
    const late = { from: t0 + 1.5 * hour, to: t0 + 10 * hour };
    expect(effectiveOf([run()], late, t0 + 10 * hour)).toMatchObject({ ratio: 1, elapsedNodeHours: 1 });
  });
  test("weighs by nodes; who printed no step is counted beside it", () => {
    const idle = run({
      jobId: "2",
      nodes: 6,
      progress: { firstStep: 0, firstStepAt: t0 + 2 * hour, lastStep: 0, lastStepAt: t0 + 2 * hour },
    });
    expect(effective(run(), idle, run({ jobId: "3", progress: {} }))).toMatchObject({
      ratio: 0.125,
      jobs: 2,
      jobsWithoutSteps: 1,
    });
    expect(effective(run({ progress: {} }))).toEqual({
      keptNodeHours: 0,
      elapsedNodeHours: 0,
      jobs: 0,
      jobsWithoutSteps: 1,
    });
  });
  test("is between 0 and 1, whatever the records say", () => {
    const at = fc.integer({ min: t0 - 20 * hour, max: t0 + 20 * hour });
    const steps = fc.record({ firstStep: fc.nat(9), firstStepAt: at, lastStep: fc.nat(9), lastStepAt: at });
    const any = fc.record({ fromAt: at, endedAt: at, nodes: fc.nat(4), resumedFromStep: fc.nat(12), progress: steps });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 5 }), (runs) => {
        const { ratio = 0, keptNodeHours, elapsedNodeHours } = effective(...runs.map((one) => run(one)));
        expect(ratio).toBeGreaterThanOrEqual(0);
        expect(ratio).toBeLessThanOrEqual(1);
        expect(keptNodeHours).toBeGreaterThanOrEqual(0);
        expect(elapsedNodeHours).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
