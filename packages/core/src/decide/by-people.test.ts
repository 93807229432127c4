/**
 * Goal    an order of a person beats every rule but the author's `off`, a cancellation, a completion, and what has not started.
 * Method  one table: who ordered what, in which situation, and the whole decision.
 */
import { expect, test } from "vitest";
import type { Advice, Coverage } from "../nouns.ts";
import type { OverrideAction } from "../override/override.ts";
import { type Facts, fold } from "../situation/situation.ts";
import { decide } from "./decide.ts";
import { attempt, crash, failed, healthy, policy, t0 } from "./decide.example.ts";

const covered = (change: Partial<typeof policy> = {}): Coverage => ({
  kind: "covered",
  policy: { ...policy, ...change },
  warnings: [],
});
const order = (action: OverrideAction) => ({
  overrides: [{ action, attemptIndex: 0, reason: "because", by: "op", at: t0 }],
});
/** It has become Advice. */
const given = {
  overrides: [{ action: "restart" as const, attemptIndex: 0, reason: "because", by: "op", at: t0, generation: 1 }],
};
const over: Partial<Facts> = { attempt: failed("FAILED"), signals: [crash()] };
const state = (
  status: "PENDING" | "CANCELLED" | "COMPLETED" | "STOPPED",
  jmState: typeof attempt.jmState = "PENDING",
) => ({
  attempt: { ...attempt, status, jmState },
});
const completing = { attempt: { ...attempt, schedulerMetadata: { slurm: { slurmState: "COMPLETING" } } } };
const { startedAt: _, ...pending } = {
  ...attempt,
  attemptIndex: 1,
  status: "PENDING" as const,
  jmState: "PENDING" as const,
};
const restarting = { desired: "RESTARTED", exclusions: [], status: {} } as unknown as Advice;
const usedUp = covered({ maxRequeueTimes: 0 });

// biome-ignore format: a table is read by columns
const cases: [situation: string, change: Partial<Facts>, coverage: Coverage, decision: string][] = [
  ["nobody ordered anything",                  over,                                  covered(), "RESTARTED without n2: hardware-node"],
  ["forbidden, failed",                        { ...over, ...order("never") },        covered(), "none, withdraw: override-never"],
  ["forbidden, running with a fatal line",     { signals: [crash()], ...order("never") }, covered(), "none, withdraw: override-never"],
  ["forbidden, and another run is wanted",     { ...state("COMPLETED", "COMPLETED"), ...order("never") }, covered({ requeueOnCompletion: true }), "none, withdraw: override-never"],
  ["forbidden, cancelled",                     { ...state("CANCELLED", "CANCELLED"), ...order("never") }, covered(), "none, withdraw: cancelled"],
  ["forbidden when the next one runs",         { ...over, successor: { ...attempt, attemptIndex: 1 }, ...order("never") }, covered(), "none: overtaken"],
  ["taken back",                               { ...over, ...order("withdraw") },     covered(), "none, withdraw: override-withdrawn"],
  ["ordered, but off",                         { ...over, ...order("restart") },      covered({ autoResumeMode: "off" }), "none, withdraw: off"],
  ["ordered, the retries are used up",         { ...over, ...order("restart") },      usedUp,    "RESTARTED without n2: override-restart"],
  ["…and without the order",                   over,                                  usedUp,    "TERMINATED: max_requeue_times"],
  ["ordered, nothing is wrong",                { ...order("restart") },               covered(), "RESTARTED: override-restart"],
  ["ordered, a cause that is never retried",   { attempt: failed("FAILED"), signals: [crash({ causeClass: "storage-shared", nodes: [] })], ...order("restart") }, covered(), "RESTARTED: override-restart"],
  ["ordered, completed",                       { ...state("COMPLETED", "COMPLETED"), ...order("restart") }, covered(), "none, withdraw: completed"],
  ["ordered, cancelled",                       { ...state("CANCELLED", "CANCELLED"), ...order("restart") }, covered(), "none, withdraw: cancelled"],
  ["ordered, not started",                     { ...state("PENDING"), ...order("restart") }, covered(), "none, withdraw: pending"],
  ["ordered, taken back as it had not started, and now it runs", { ...given, advice: { ...restarting, withdrawnAt: t0 } }, covered(), "none, withdraw: healthy"],
  ["…and now it has failed",                   { ...over, ...given, advice: { ...restarting, withdrawnAt: t0 } }, usedUp, "TERMINATED: max_requeue_times"],
  ["ordered, completing",                      { ...completing, ...order("restart") }, covered(), "none: ending"],
  ["ordered, and Slurm cannot be read",        { ...over, pass: { takenAt: t0, unavailable: "timeout" }, ...order("restart") }, covered(), "none: scheduler-unseen"],
  ["ordered, requeued by somebody else",       { ...state("STOPPED", "REQUEUED"), successor: pending, ...order("restart") }, covered(), "none: requeued-by-others"],
  ["ordered, requeued by us",                  { ...state("STOPPED", "REQUEUED"), successor: pending, advice: restarting, ...order("restart") }, usedUp, "RESTARTED: override-restart"],
  ["cleared",                                  { ...over, ...order("clear") },        covered(), "RESTARTED without n2: hardware-node"],
];
test.each(cases)("%s", (_situation, change, coverage, expected) => {
  const now = t0 + 1_000;
  const decision = decide(fold({ ...healthy, ...change }, now), coverage, now);
  const without = decision.kind === "advise" ? decision.exclusions.map(({ node }) => ` without ${node}`).join("") : "";
  const what = decision.kind === "advise" ? decision.desired + without : `none${decision.withdraw ? ", withdraw" : ""}`;
  expect(`${what}: ${decision.because}`).toBe(expected);
});

test("an ordered restart is not charged, waits for nothing, and says who wanted it", () => {
  const decision = decide(fold({ ...healthy, ...over, ...order("restart") }, t0), usedUp, t0);
  expect(decision).toMatchObject({
    charged: false,
    startDelayMs: 0,
    sentence: "Restart without n2, ordered by op: because",
  });
});
