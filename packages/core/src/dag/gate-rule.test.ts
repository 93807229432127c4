/**
 * Goal    what follows from gates, with the words that its author reads.
 * Method  a table of held jobs through the whole of `decide`; each row names its gates and the job's state.
 */
import { describe, expect, test } from "vitest";
import { decide } from "../decide/decide.ts";
import { attempt, healthy, policy, t0 } from "../decide/decide.example.ts";
import type { Policy } from "../nouns.ts";
import { type Facts, fold } from "../situation/situation.ts";
import type { Gate } from "./gates.ts";

const gate = (state: Gate["state"], parent = "job 1", trigger: Gate["trigger"] = "on_success"): Gate => ({
  parent,
  trigger,
  state,
  why: `${parent} says so`,
});

function held(
  gates: readonly Gate[],
  change: { reason?: string; policy?: Partial<Policy>; facts?: Partial<Facts> } = {},
) {
  const { startedAt: _, ...rest } = attempt;
  const slurm = {
    ...(attempt.schedulerMetadata["slurm"] as object),
    slurmState: "PENDING",
    reason: change.reason ?? "JobHeldUser",
  };
  const coverage = { kind: "covered" as const, policy: { ...policy, ...change.policy }, warnings: [] };
  const job = {
    ...rest,
    status: "PENDING" as const,
    jmState: "PENDING" as const,
    coverage,
    schedulerMetadata: { slurm },
  };
  return decide(fold({ ...healthy, attempt: job, gates, ...change.facts }, t0), coverage, t0);
}

function show(d: ReturnType<typeof decide>): string {
  const said = d.kind === "advise" ? d.desired : d.withdraw ? "none, withdraws" : "none";
  return `${said}: ${d.because}`;
}

// prettier-ignore
const cases: [situation: string, decision: ReturnType<typeof held>, expected: string][] = [
  ["every gate is open", held([gate("open"), gate("open")]), "RELEASED: dag-open"],
  ["one is closed", held([gate("open"), gate("closed")]), "none, withdraws: dag-waiting"],
  ["one can never open", held([gate("closed"), gate("never")]), "TERMINATED: dag-never"],
  [
    "one can never open, kept held",
    held([gate("never")], { policy: { dagAction: "keep_held" } }),
    "none, withdraws: dag-kept-held",
  ],
  ["one is refused", held([gate("open"), gate("refused")]), "none, withdraws: dag-refused"],
  ["refused, and another never opens", held([gate("never"), gate("refused")]), "TERMINATED: dag-never"],
  ["held by an administrator", held([gate("open")], { reason: "JobHeldAdmin" }), "RELEASED: dag-open"],
  ["nobody said whether it is held", held([gate("open")], { reason: "" }), "RELEASED: dag-open"],
  ["not held, open", held([gate("open")], { reason: "Priority" }), "none: dag-not-held"],
  ["not held, never", held([gate("never")], { reason: "Resources" }), "none: dag-not-held"],
  ["no gates", held([]), "none, withdraws: pending"],
  ["recovery is off", held([gate("open")], { policy: { autoResumeMode: "off" } }), "none, withdraws: off"],
  [
    "Slurm cannot be read",
    held([gate("open")], { facts: { pass: { takenAt: t0, unavailable: "down" } } }),
    "none: scheduler-unseen",
  ],
];

describe("a job with gates", () => {
  test.each(cases)("%s", (_situation, decision, expected) => expect(show(decision)).toBe(expected));

  test("is asked again soon when a parent is about to be decided about, and only then", () => {
    expect(held([{ ...gate("closed"), isPassing: true }])).toMatchObject({
      because: "dag-waiting",
      reconsiderAt: t0 + 2_000,
    });
    expect(held([gate("closed")])).not.toHaveProperty("reconsiderAt");
    expect(held([{ ...gate("closed"), isPassing: true }, gate("never")])).not.toHaveProperty("reconsiderAt");
  });

  test("says what it waits for, gate by gate", () => {
    const decision = held([gate("open", "job 1 (prepare)"), gate("closed", "job 2 (train)", "on_failure")]);
    expect(decision.sentence).toBe("Held until job 2 (train) has failed for good (now: job 2 (train) says so).");
    expect(decision.rules.filter(({ rule }) => rule.startsWith("gate "))).toEqual([
      { rule: "gate on_success of job 1 (prepare)", answered: true, why: "open: job 1 (prepare) says so" },
      { rule: "gate on_failure of job 2 (train)", answered: false, why: "closed: job 2 (train) says so" },
    ]);
  });

  test("tells of very many gates the first ones, and how many more there are", () => {
    const decision = held(Array.from({ length: 500 }, (_, i) => gate("never", `job ${i}`)));
    expect(decision.sentence).toMatch(/^Ended before it ran .*job 19 says so; and 480 more\.$/);
    expect(decision.rules.filter(({ rule }) => rule.startsWith("gate "))).toHaveLength(20);
  });
});
