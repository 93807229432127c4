/**
 * Goal    what stopped a recovery has its name and its remedy, and what was counted is told as before and after.
 * Method  tables of decisions; whole stories are golden files of the command line (`render/stories.test.ts`).
 */
import { describe, expect, test } from "vitest";
import { crash, policy, t0 } from "../decide/decide.example.ts";
import type { Advise, Decision } from "../decide/decision.ts";
import type { Advice, Coverage, DesiredState, Exclusion, Progress, ReconciliationReason } from "../nouns.ts";
import { budgetsCounted, nodesConsidered } from "./counted.ts";
import { endingOf } from "./ending.ts";
import { type Incident, incidentOf } from "./incident.ts";

const said = { sentence: "", evidence: [], rules: [], budgets: [] };
const none = (because: string): Decision => ({ kind: "none", because, withdraw: false, ...said });
const advise = (desired: DesiredState, because: string, change: Partial<Advise> = {}): Advise => ({
  kind: "advise",
  desired,
  because,
  exclusions: [],
  issues: [],
  startDelayMs: 0,
  charged: true,
  rootKey: "",
  expiresAt: t0,
  ...said,
  ...change,
});
const advice = (
  disposition: "PENDING" | "CONVERGED" | "ABANDONED",
  reason: ReconciliationReason = "UNSPECIFIED",
  change: Partial<Advice> = {},
) => ({ desired: "RESTARTED", because: "hardware-node", status: { disposition, reason }, ...change }) as Advice;
const covered: Coverage = { kind: "covered", policy, warnings: [] };

describe("what stopped it", () => {
  // biome-ignore format: a table is read by columns
  test.each<[situation: string, decision: Decision | undefined, advice: Advice | undefined, stoppedBy: string | undefined]>([
    ["nothing is decided yet",          undefined,                                undefined,                       undefined],
    ["it runs",                         none("healthy"),                          undefined,                       undefined],
    ["a restart is under way",          advise("RESTARTED", "hardware-node"),     advice("PENDING"),               undefined],
    ["it was restarted",                none("overtaken"),                        advice("CONVERGED"),             undefined],
    ["it was restarted, and SAC was too late to see it", none("overtaken"),       advice("ABANDONED", "SUPERSEDED"), undefined],
    ["the author's off",                none("off"),                              undefined,                       "off"],
    ["a budget",                        advise("TERMINATED", "max_requeue_times"), advice("CONVERGED"),            "max_requeue_times"],
    ["a form of a budget",              advise("TERMINATED", "max_failures_without_progress (any root)"), undefined, "max_failures_without_progress (any root)"],
    ["…and Slurm forgot the job since", none("healthy"),                          advice("CONVERGED", "ALREADY_SATISFIED", { desired: "TERMINATED", because: "restart_once" }), "restart_once"],
    ["its gates, and so we cancelled it", none("cancelled"),                      advice("CONVERGED", "DESIRED_STATE_OBSERVED", { desired: "TERMINATED", because: "dag-never" }), "dag-never"],
    ["given up by SAC",                 advise("RESTARTED", "hardware-node"),     advice("ABANDONED", "HELD_BY_OTHERS"), "HELD_BY_OTHERS"],
    ["an operator forbade it",          none("override-never"),                   advice("ABANDONED", "WITHDRAWN", { withdrawnAt: t0 }), "override-never"],
    ["observe mode",                    advise("RESTARTED", "hardware-node"),     advice("PENDING", "OBSERVE_MODE"), "OBSERVE_MODE"],
  ])("%s", (_situation, decision, given, stoppedBy) => {
    const ending = endingOf(covered, decision, given, "12345");
    expect(ending?.stoppedBy).toBe(stoppedBy);
    if (ending !== undefined) expect(ending.whatToDo.length).toBeGreaterThan(20);
    expect(ending?.whatToDo ?? "").not.toContain("JOB");
  });

  test("a job that is not covered says so first, whatever else there is", () => {
    const coverage: Coverage = { kind: "not-covered", because: "no comment" };
    expect(endingOf(coverage, none("cancelled"), undefined, "1")).toMatchObject({ stoppedBy: "not-covered" });
  });
});

describe("budgets", () => {
  const budgets = [
    { bound: "max_requeue_times", spent: 1, allowed: 3 },
    { bound: "max_failures_without_progress", spent: 2, allowed: 3 },
    { bound: "uncharged restarts", spent: 4, allowed: 20 },
    { bound: "max_recovery_hours", spent: 1.5, allowed: 8 },
  ];
  const counted = (decision: Decision) => budgetsCounted(decision).map(({ before, after }) => `${before}→${after}`);
  test("a charged restart counts for its author", () => {
    expect(counted(advise("RESTARTED", "x", { budgets }))).toEqual(["1→2", "1→2", "4→4", "1.5→1.5"]);
  });
  test("an uncharged one counts for nobody but the ceiling", () => {
    expect(counted(advise("RESTARTED", "x", { budgets, charged: false }))).toEqual(["1→1", "1→2", "4→5", "1.5→1.5"]);
  });
  test("an end spends no restart", () => {
    expect(counted(advise("TERMINATED", "x", { budgets }))).toEqual(["1→1", "1→2", "4→4", "1.5→1.5"]);
  });
});

test("every node that was named is there once: excluded, left out, or why not", () => {
  const exclusion = (node: string): Exclusion => ({
    node,
    reason: "ecc",
    evidence: [],
    confidence: 0.9,
    expiresAt: t0,
  });
  const issues = [{ causeClass: "network-pair" }] as unknown as Advise["issues"];
  const dropped: Advise["dropped"] = [
    { ...exclusion("n2"), why: "too-few-nodes", remaining: 1, needed: 2 },
    { ...exclusion("n4"), why: "required" },
    { ...exclusion("n5"), why: "not-a-node" },
  ];
  const decision = advise("RESTARTED", "x", { exclusions: [exclusion("n1")], dropped, issues });
  const signals = [
    crash({ causeClass: "network-pair", nodes: ["n1", "n3"] }),
    crash({ causeClass: "network-pair", nodes: ["n3"] }),
    crash({ causeClass: "hang", nodes: ["n9"] }),
  ];
  expect(nodesConsidered(decision, signals)).toEqual([
    { node: "n1", isExcluded: true, why: "ecc", confidence: 0.9, expiresAt: t0 },
    {
      node: "n2",
      isExcluded: false,
      why: "ecc, but too few nodes would remain: 1 of the 2 that the job needs",
      confidence: 0.9,
    },
    { node: "n4", isExcluded: false, why: "ecc, but the job asks for it by name", confidence: 0.9 },
    { node: "n5", isExcluded: false, why: "ecc, but Slurm has no such node", confidence: 0.9 },
    {
      node: "n3",
      isExcluded: false,
      why: "named for the first time: a network error between nodes excludes a node when it is named again",
    },
  ]);
  expect(nodesConsidered(none("healthy"), signals)).toEqual([]);
});

describe("an incident", () => {
  const steps: Progress = { firstStep: 1, firstStepAt: t0 - 60_000, lastStep: 20, lastStepAt: t0 - 10_000 };
  const at = (offset: number) => ({ source: "log" as const, line: "a line", path: "/log", offset, at: t0 });
  const early = crash({ evidence: at(1), at: t0 - 30_000, cause: "caught", exitIndependent: false, step: 10 });
  const root = crash({ at: t0, rank: 3, evidence: at(2) });
  const waits = [1, 2].map((rank) =>
    crash({
      at: t0 + rank,
      rank,
      kind: "hang",
      cause: "watchdog",
      causeClass: "hang",
      root: false,
      nodes: [`n${rank}`],
    }),
  );
  const words = ({ root: found, consequences, survived }: Incident) =>
    [found?.cause ?? "-", consequences, survived].map((part) =>
      typeof part === "string" ? part : part.map(({ cause, count, ranks }) => `${cause} ×${count} of ${ranks}`).join(),
    );

  test("is the line that was decided from, what came with it, and apart from both what training survived", () => {
    const incident = incidentOf([early, ...waits, root], steps, "failed", root.evidence);
    expect(words(incident!)).toEqual(["cuda-ecc-uncorrectable", "watchdog ×2 of 2", "caught ×1 of 0"]);
    expect(incident?.consequences[0]).toMatchObject({ nodes: ["n1", "n2"], firstAt: t0 + 1, lastAt: t0 + 2 });
  });
  test("has no root where Slurm's state is all there is, whatever was survived", () => {
    const slurm = { source: "slurm" as const, line: "FAILED", at: t0 };
    expect(words(incidentOf([early], steps, "failed", slurm)!)).toEqual(["-", "", "caught ×1 of 0"]);
    expect(incidentOf([], steps, "failed", slurm)).toBeUndefined();
  });
  test("has what stands by itself as its root, while nothing is decided", () => {
    expect(words(incidentOf([...waits, root], steps, "failed", undefined)!)[0]).toBe("cuda-ecc-uncorrectable");
    expect(incidentOf([], steps, "running", undefined)).toBeUndefined();
  });
});
