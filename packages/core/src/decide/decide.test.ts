/**
 * Goal    every line of decide() has a row here, and the rows read as the policy does.
 * Method  one table; each row changes the healthy situation in one way and names the whole decision. Below it the properties that a
 *         table cannot say.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { against } from "../evidence/evidence.example.ts";
import { ledgerOf } from "../evidence/ledger.ts";
import type { Advice, Coverage, Policy } from "../nouns.ts";
import { type EarlierFacts, type Facts, fold } from "../situation/situation.ts";
import { backoffMs } from "./answer.ts";
import { decide } from "./decide.ts";
import { attempt, crash, failed, healthy, nodes, policy, t0 } from "./decide.example.ts";
import type { Decision } from "./decision.ts";

const covered = (change: Partial<Policy> = {}): Coverage => ({
  kind: "covered",
  policy: { ...policy, ...change },
  warnings: [],
});
const successor = { ...attempt, attemptIndex: 1, status: "PENDING" as const, jmState: "PENDING" as const };
const { startedAt: _started, ...neverStarted } = successor;
const traceback = crash({
  causeClass: "workload-deterministic",
  domain: "workload",
  cause: "python",
  exitIndependent: false,
  nodes: [],
});
const read = { ...healthy.progress, logEndedAt: t0 };
const slurm = attempt.schedulerMetadata["slurm"] as Record<string, never>;
const requeued = { ...attempt, status: "STOPPED" as const, jmState: "REQUEUED" as const };

const inChain = { advice: { desired: "RESTARTED", status: { disposition: "PENDING" } } as Advice };

// biome-ignore format: a table of decisions reads in columns.
const cases: [situation: string, change: Partial<Facts>, atMs: number, coverage: Coverage, decision: string][] = [
  ["nothing is wrong",                      {},                                                   0, covered(), "none, withdraw: healthy"],
  ["the comment is broken",                 { signals: [crash()], attempt: failed("FAILED") },     0, { kind: "not-covered", because: "no JSON" }, "none: not-covered"],
  ["the author said off",                   { signals: [crash()], attempt: failed("FAILED") },     0, covered({ autoResumeMode: "off" }), "none, withdraw: off"],
  ["one of a chain of singletons",        { signals: [crash()], attempt: failed("FAILED") },     0, covered({ autoResumeMode: "singleton_dependency" }), "RESTARTED without n2: hardware-node"],
  ["Slurm cannot be reached",               { attempt: failed("FAILED"), pass: { takenAt: t0, unavailable: "timeout" } }, 0, covered(), "none: scheduler-unseen, again in 6 s"],
  ["the last look at Slurm is old",         { attempt: failed("FAILED") },                    40_000, covered(), "none: scheduler-unseen, again in 6 s"],
  ["SAC's clock is eight minutes behind",   { attempt: { ...failed("FAILED"), endedAt: t0 }, pass: { takenAt: t0 - 480_000, completeHeardAt: t0 } }, 9_000, covered(), "RESTARTED: unexplained"],
  ["SAC's clock is eight minutes ahead, and it was heard long ago", { attempt: failed("FAILED"), pass: { takenAt: t0 + 480_000, completeHeardAt: t0 } }, 40_000, covered(), "none: scheduler-unseen, again in 6 s"],
  ["our own clock was set back since the last look", { attempt: failed("FAILED"), pass: { takenAt: t0, completeHeardAt: t0 + 300_000 } }, 0, covered(), "none: scheduler-unseen, again in 6 s"],
  ["Slurm shows a word that we do not know", { attempt: { ...attempt, jmState: "UNKNOWN" }, signals: [crash()] }, 9_000, covered(), "none: scheduler-unseen"],
  ["the job is gone from Slurm",            { attempt: { ...attempt, status: "DELETED" }, signals: [crash()] }, 9_000, covered(), "none: not-in-scheduler"],
  ["told after attempt 1 started",          { attempt: failed("FAILED"), signals: [crash()], successor: { ...successor, startedAt: t0 } }, 0, covered(), "none: overtaken"],
  ["cancelled by its user",                 { attempt: { ...attempt, status: "CANCELLED", jmState: "CANCELLED" }, signals: [crash()] }, 0, covered(), "none, withdraw: cancelled"],
  ["cancelled by us, for its chain",        { attempt: { ...attempt, status: "CANCELLED", jmState: "CANCELLED" }, signals: [crash()], ...inChain, cancelledByUs: true }, 0, covered({ autoResumeMode: "singleton_dependency" }), "none: ended-for-its-chain"],
  ["cancelled by its user, in a chain",     { attempt: { ...attempt, status: "CANCELLED", jmState: "CANCELLED" }, signals: [crash()], ...inChain, cancelledByUs: false }, 0, covered({ autoResumeMode: "singleton_dependency" }), "none, withdraw: cancelled"],
  ["ended by the owner's own deadline",     { attempt: { ...attempt, status: "FAILED", jmState: "DEADLINE" } }, 0, covered(), "none, withdraw: cancelled"],
  ["completed, with an error line before",  { attempt: { ...attempt, status: "COMPLETED", jmState: "COMPLETED" }, signals: [crash()] }, 0, covered(), "none, withdraw: completed"],
  ["completed, and more runs are wanted",   { attempt: { ...attempt, status: "COMPLETED", jmState: "COMPLETED" } }, 0, covered({ requeueOnCompletion: true }), "RESTARTED: completed"],
  ["training finished, teardown failed",    { attempt: failed("FAILED"), signals: [crash({ kind: "finished", root: false })] }, 0, covered(), "none, withdraw: teardown"],
  ["not started yet",                       { attempt: { ...attempt, status: "PENDING", jmState: "PENDING" } }, 0, covered(), "none, withdraw: pending"],
  ["Slurm requeued it by itself",           { attempt: requeued, successor: neverStarted },        0, covered(), "none: requeued-by-others"],
  ["Slurm requeued it; the log names a node", { attempt: requeued, successor: neverStarted, signals: [crash()] }, 0, covered(), "RESTARTED without n2: hardware-node"],
  ["NVRx says do not restart",              { attempt: failed("FAILED", 93), progress: read },     0, covered({ enableNvrx: true }), "TERMINATED: nvrx-exit-93"],
  ["93 means nothing without NVRx",         { attempt: failed("FAILED", 93), progress: read },     0, covered(), "RESTARTED: unexplained"],
  ["completing: its end is hidden",         { attempt: { ...attempt, schedulerMetadata: { slurm: { ...slurm, slurmState: "COMPLETING" as never } } }, signals: [crash()] }, 9_000, covered(), "none: ending, again in 6 s"],
  ["a fatal line, just now",                { signals: [crash()] },                            1_000, covered(), "none, withdraw: grace, again in 4 s"],
  ["a fatal line, and five silent seconds", { signals: [crash()] },                            5_000, covered(), "RESTARTED without n2: hardware-node"],
  ["slow steps make a longer grace",        { signals: [crash()], progress: { ...healthy.progress, stepSpacingMs: 10_000 } }, 29_000, covered(), "none, withdraw: grace, again in 1 s"],
  ["the step in flight is printed later",   { signals: [crash()], progress: { ...healthy.progress, lastStep: 13, lastStepAt: t0 + 100 } }, 5_100, covered(), "RESTARTED without n2: hardware-node"],
  ["it goes on stepping: healthy",          { signals: [crash()], progress: { ...healthy.progress, lastStep: 20, lastStepAt: t0 + 900 } }, 9_000, covered(), "none, withdraw: healthy"],
  ["nobody has read the log since",         { signals: [crash()], progress: { ...healthy.progress, logReadAt: t0 } }, 9_000, covered(), "none, withdraw: grace, again in 0.25 s"],
  ["a watcher's clock far ahead of ours",   { signals: [crash({ recordedAt: t0 - 300_000 })], progress: { ...healthy.progress, logReadAt: t0 + 5_000 }, pass: { takenAt: t0, completeHeardAt: t0 - 295_000 } }, -295_000, covered(), "RESTARTED without n2: hardware-node"],
  ["and a watcher that is still further ahead reads on", { signals: [crash({ recordedAt: t0 - 300_000 })], progress: { ...healthy.progress, logReadAt: t0 + 900_000 }, pass: { takenAt: t0, completeHeardAt: t0 - 299_000 } }, -299_000, covered(), "none, withdraw: grace, again in 4 s"],
  ["a watcher's clock far behind ours, and another one reads on", { signals: [crash({ at: t0 - 300_000, recordedAt: t0 })], progress: { lastStep: 12, logReadAt: t0 + 1_000 } }, 1_000, covered(), "none, withdraw: grace, again in 4 s"],
  ["crash detection is off",                { signals: [crash()] },                            9_000, covered({ anomalyDetection: { ...policy.anomalyDetection, logBasedCrash: false } }), "none, withdraw: healthy"],
  ["an error line of a running program",    { signals: [traceback] },                          9_000, covered(), "none, withdraw: grace, again in 21 s"],
  ["an error line, and long silence",       { signals: [traceback] },                         30_000, covered(), "RESTARTED: workload-deterministic"],
  ["an error line before the first step",   { signals: [traceback], progress: { logReadAt: t0 + 60_000 } }, 29_000, covered(), "none, withdraw: healthy"],
  ["failed; the last lines are on their way", { attempt: failed("FAILED") },                   1_000, covered(), "none: reading-log, again in 4 s"],
  ["failed, and no line says why",          { attempt: failed("FAILED"), progress: read },         0, covered(), "RESTARTED: unexplained"],
  ["failed, and nobody reads its log",      { attempt: failed("FAILED") },                     5_000, covered(), "RESTARTED: unexplained"],
  ["failed with a traceback",               { attempt: failed("FAILED"), signals: [traceback] },   0, covered(), "RESTARTED: workload-deterministic"],
  ["failed, a node named",                  { attempt: failed("FAILED"), signals: [crash()] },     0, covered(), "RESTARTED without n2: hardware-node"],
  ["a consequence is no root",              { attempt: failed("FAILED"), signals: [crash({ root: false })], progress: read }, 0, covered(), "RESTARTED: unexplained"],
  ["the time limit, with progress",         { attempt: failed("TIMEOUT"), progress: read },        0, covered(), "RESTARTED: scheduler"],
  ["the time limit, nothing saved",         { attempt: failed("TIMEOUT"), progress: { logEndedAt: t0 } }, 0, covered(), "RESTARTED: time-limit"],
  ["preempted",                             { attempt: failed("PREEMPTED"), progress: read },      0, covered(), "RESTARTED: scheduler"],
  ["the shared volume is full",             { attempt: failed("FAILED"), signals: [crash({ causeClass: "storage-shared", cause: "enospc" })] }, 0, covered(), "TERMINATED: storage-shared"],
  ["an error after success",                { attempt: failed("FAILED"), signals: [crash({ causeClass: "teardown" })] }, 0, covered(), "none: teardown"],
  ["too few nodes would remain",            { attempt: failed("FAILED"), signals: [crash()], nodes: nodes.slice(0, 2) }, 0, covered(), "RESTARTED: hardware-node"],
  ["no restart is allowed",                 { attempt: failed("FAILED"), signals: [crash()] },     0, covered({ maxRequeueTimes: 0 }), "TERMINATED: max_requeue_times"],
];

describe("decide", () => {
  test.each(cases)("%s", (_situation, change, atMs, coverage, decision) => {
    const now = t0 + atMs;
    expect(show(decide(fold({ ...healthy, ...change }, now), coverage, now), now)).toBe(decision);
  });

  test("every answer lists the rules that were asked, and exactly one line answered first", () => {
    for (const [, change, atMs, coverage] of cases) {
      const { rules } = decide(fold({ ...healthy, ...change }, t0 + atMs), coverage, t0 + atMs);
      expect(rules.findIndex((r) => r.answered)).toBeGreaterThanOrEqual(0);
      for (const rule of rules) expect(rule.why).not.toBe("");
    }
  });
});

describe("budgets", () => {
  const rootKey = (() => {
    const decision = decide(fold({ ...healthy, attempt: failed("FAILED"), signals: [crash()] }, t0), covered(), t0);
    return decision.kind === "advise" ? decision.rootKey : "";
  })();
  const restarted = (index: number, change: Partial<Advice> = {}, lastStep = 12): EarlierFacts => ({
    attempt: { ...failed("FAILED"), attemptIndex: index, endedAt: t0 - 600_000 + index * 1000 },
    progress: { lastStep, checkpointStep: 10 },
    signals: [],
    advice: {
      desired: "RESTARTED",
      charged: true,
      rootKey,
      exclusions: [],
      status: {
        observedGeneration: 1,
        disposition: "CONVERGED",
        reason: "DESIRED_STATE_OBSERVED",
        message: "",
        observedAt: t0,
      },
      ...change,
    } as Advice,
  });
  const after = (earlier: readonly EarlierFacts[], lastStep = 12, change: Partial<Policy> = {}) => {
    const facts = {
      ...healthy,
      attempt: { ...failed("FAILED"), attemptIndex: earlier.length },
      signals: [crash()],
      earlier,
    };
    return show(decide(fold({ ...facts, progress: { ...healthy.progress, lastStep } }, t0), covered(change), t0), t0);
  };

  test("the same root without progress restarts with a back-off, and the third failure ends it", () => {
    expect(after([])).toBe("RESTARTED without n2: hardware-node");
    expect(after([restarted(0)])).toBe("RESTARTED without n2: hardware-node, after 30 s");
    expect(after([restarted(0), restarted(1)])).toBe("TERMINATED: max_failures_without_progress");
  });
  test("a requeue of ours counts, also when its Advice was superseded before the second look", () => {
    const superseded = {
      observedGeneration: 1,
      disposition: "ABANDONED" as const,
      reason: "SUPERSEDED" as const,
      message: "",
      observedAt: t0,
    };
    const far = [20, 30, 40].map((step, i) => restarted(i, { status: superseded }, step));
    expect(after(far, 50)).toBe("RESTARTED without n2: hardware-node");
    expect(
      after(
        far.map((e) => ({ ...e, requeuedByUs: true })),
        50,
      ),
    ).toBe("TERMINATED: max_requeue_times");
  });
  test("a requeue of ours counts, also when a later generation ended the attempt that was already requeued", () => {
    const late = { desired: "TERMINATED" as const, because: "restart_once" };
    const far = [20, 30, 40].map((step, i) => restarted(i, i === 2 ? late : {}, step));
    const stuck = [restarted(0), restarted(1, late)];
    const carriedOut = (list: readonly EarlierFacts[]) => list.map((e) => ({ ...e, requeuedByUs: true }));
    expect(after(far, 50)).toBe("RESTARTED without n2: hardware-node");
    expect(after(carriedOut(far), 50)).toBe("TERMINATED: max_requeue_times");
    expect(after(carriedOut(stuck))).toBe("TERMINATED: max_failures_without_progress");
  });
  test("a successor that was found held and that nobody claims counts: a SAC may have died before it could report it", () => {
    const held = {
      observedGeneration: 1,
      disposition: "ABANDONED" as const,
      reason: "HELD_BY_OTHERS" as const,
      message: "",
      observedAt: t0,
    };
    const far = [20, 30, 40].map((step, i) => restarted(i, { status: held }, step));
    expect(after(far, 50)).toBe("TERMINATED: max_requeue_times");
  });
  test("progress between two failures of the same root starts the count anew", () => {
    expect(after([restarted(0, {}, 12), restarted(1, {}, 40)], 80)).toBe("RESTARTED without n2: hardware-node");
  });
  test("max_requeue_times counts the restarts that recovery made, and names itself", () => {
    const far = [restarted(0, {}, 20), restarted(1, {}, 30), restarted(2, {}, 40)];
    expect(after(far, 50)).toBe("TERMINATED: max_requeue_times");
    expect(
      after(
        [...far.slice(0, 2), restarted(2, { status: { ...far[2]!.advice!.status, reason: "ALREADY_SATISFIED" } }, 40)],
        50,
      ),
    ).toBe("RESTARTED without n2: hardware-node");
  });
  test("under charge: workload a hardware failure is not charged, up to the ceiling", () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => restarted(i, { charged: false }, i + 1));
    expect(after(many(5), 50, { charge: "workload" })).toBe("RESTARTED without n2: hardware-node");
    expect(after(many(20), 50, { charge: "workload" })).toBe("TERMINATED: uncharged restarts");
  });
  test("max_recovery_hours counts from the first failure without progress", () => {
    expect(after([restarted(0)], 12, { maxRecoveryHours: 0.1 })).toBe("TERMINATED: max_recovery_hours");
  });
  test("back-off doubles up to its bound", () => {
    expect([0, 1, 2, 3, 5, 6, 60].map((n) => backoffMs(n) / 1000)).toEqual([0, 30, 60, 120, 480, 900, 900]);
  });
  test("an exclusion of an earlier attempt lives on until it expires", () => {
    const old = { node: "n1", reason: "ecc", evidence: [], confidence: 0.9, expiresAt: t0 + 1 };
    expect(after([restarted(0, { exclusions: [old] }, 5)], 50)).toBe("RESTARTED without n1 n2: hardware-node");
    expect(after([restarted(0, { exclusions: [{ ...old, expiresAt: t0 }] }, 5)], 50)).toBe(
      "RESTARTED without n2: hardware-node",
    );
  });

  test("no job is restarted by us more often than its owner allowed, whatever the progress was", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 8 }), fc.nat(6), fc.nat(60), (steps, maxRequeueTimes, lastStep) => {
        const decision = after(
          steps.map((step, i) => restarted(i, {}, step)),
          lastStep,
          { maxRequeueTimes },
        );
        if (steps.length >= maxRequeueTimes) expect(decision).toMatch(/^TERMINATED/);
      }),
    );
  });
});

describe("invariants", () => {
  const states = ["PENDING", "RUNNING", "STOPPED", "COMPLETED", "FAILED", "CANCELLED", "DELETED"] as const;
  const anyFacts = fc.record({
    status: fc.constantFrom(...states),
    jmState: fc.constantFrom(
      "PENDING",
      "RUNNING",
      "COMPLETED",
      "FAILED",
      "TIMEOUT",
      "CANCELLED",
      "REQUEUED",
      "UNKNOWN",
      "PREEMPTED",
      "REVOKED",
      "DEADLINE" as const,
    ),
    hasCrash: fc.boolean(),
    seen: fc.constantFrom("seen", "unavailable", "old" as const),
    successor: fc.constantFrom("none", "pending", "started" as const),
    atMs: fc.nat(100_000),
  });
  const factsOf = (x: typeof anyFacts extends fc.Arbitrary<infer T> ? T : never): Facts => ({
    ...healthy,
    attempt: { ...attempt, status: x.status, jmState: x.jmState },
    signals: x.hasCrash ? [crash()] : [],
    pass:
      x.seen === "unavailable"
        ? { takenAt: t0, unavailable: "?" }
        : { takenAt: t0, completeHeardAt: x.seen === "old" ? t0 - 60_000 : t0 + x.atMs },
    ...(x.successor === "none"
      ? {}
      : { successor: x.successor === "pending" ? neverStarted : { ...successor, startedAt: t0 } }),
  });

  test("nothing follows from a scheduler that was not seen (6), from an overtaken attempt (2), or for one that is not covered (7)", () => {
    fc.assert(
      fc.property(anyFacts, (x) => {
        const situation = fold(factsOf(x), t0 + x.atMs);
        expect(decide(situation, { kind: "not-covered", because: "x" }, t0 + x.atMs).kind).toBe("none");
        if (x.seen !== "seen" || x.successor === "started")
          expect(decide(situation, covered(), t0 + x.atMs).kind).toBe("none");
      }),
    );
  });
  test("completed and cancelled jobs are never restarted (8)", () => {
    fc.assert(
      fc.property(anyFacts, (x) => {
        if (x.status !== "COMPLETED" && x.status !== "CANCELLED") return;
        expect(decide(fold(factsOf(x), t0 + x.atMs), covered(), t0 + x.atMs).kind).toBe("none");
      }),
    );
  });
  const someNodes = fc.subarray(["n1", "n2", "n3", "n4"]);
  test("an exclusion has its reason, evidence, confidence and end, and never leaves the job unable to run (11)", () => {
    fc.assert(
      fc.property(someNodes, someNodes, someNodes, (named, eligible, accused) => {
        const failures = accused.flatMap((node) =>
          Array.from({ length: 9 }, (_, i) => against(node, `${i}`, t0 - i * 3_600_000, { nodesAtRisk: 100 })),
        );
        const ledger = ledgerOf(failures, 100, t0);
        const table = nodes.map((n) => ({ ...n, isEligible: eligible.includes(n.name) }));
        const facts = {
          ...healthy,
          attempt: failed("FAILED"),
          signals: [crash({ nodes: named })],
          nodes: table,
          ledger,
        };
        const decision = decide(fold(facts, t0), covered(), t0);
        if (decision.kind !== "advise") throw new Error("a hardware failure is advised about");
        for (const e of decision.exclusions) {
          expect(e.reason).not.toBe("");
          expect(e.evidence.length).toBeGreaterThan(0);
          expect(e.confidence).toBeGreaterThan(0);
          expect(e.expiresAt).toBeGreaterThan(t0);
        }
        const left = table.filter((n) => n.isEligible && !decision.exclusions.some((e) => e.node === n.name));
        expect(left.length >= 2 || decision.exclusions.length === 0).toBe(true);
        // And none is left out that could have stayed.
        const away = decision.exclusions.length + (decision.dropped?.length ?? 0);
        expect(away).toBe(new Set([...named, ...accused]).size);
      }),
    );
  });
});

/** A decision on one line, so that a table of them can be read. */
function show(d: Decision, now: number): string {
  if (d.kind === "none") {
    const again = d.reconsiderAt === undefined ? "" : `, again in ${(d.reconsiderAt - now) / 1000} s`;
    return `none${d.withdraw ? ", withdraw" : ""}: ${d.because}${again}`;
  }
  const without =
    d.exclusions.length > 0
      ? ` without ${d.exclusions
          .map((e) => e.node)
          .toSorted()
          .join(" ")}`
      : "";
  return `${d.desired}${without}: ${d.because}${d.startDelayMs > 0 ? `, after ${d.startDelayMs / 1000} s` : ""}`;
}
