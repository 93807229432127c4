/**
 * Goal    whose row could not be read is not absent: a component, a sibling or a dependent stops what his absence would allow.
 * Method  one table: views in which everything is there, each with the plan that follows; then the same with one row unreadable, the
 *         text of it shown or nothing.
 */
import { describe, expect, test } from "vitest";
import { slurmJob, slurmView } from "../fact/slurm-job.example.ts";
import { limits } from "../limits.ts";
import type { SlurmJob, UnreadableRow } from "../nouns.ts";
import { doneStep, restartWork } from "./plan.example.ts";
import { plan } from "./plan.ts";
import type { Known, Plan } from "./step.ts";
import type { JournalStep, Work } from "./work.ts";

const now = 1_800_000_100_000;
const work = restartWork(now, { jobId: "20" });
const step = (action: JournalStep["action"]) => doneStep(action, now - 20_000);
const fresh: Known = {
  steps: [],
  marker: { value: undefined, writable: true },
  site: { partitions: ["gpu"] },
  skipRequeueDelay: false,
  requeueDelayMs: 121_000,
};
const confirmed: Partial<Known> = {
  steps: [step("requeue-hold"), step("release")],
  marker: { value: { id: "id-0", generation: 1, step: "released", at: now }, writable: true },
  settling: { verdict: "satisfied", since: now - 6_000 },
};
const job = (n: number, change: Partial<SlurmJob> = {}) =>
  slurmJob({ jobId: String(n), recordId: String(n), submitAt: now - 60_000, state: "FAILED", ...change });
const part = (n: number, change: Partial<SlurmJob> = {}) => job(n, { hetJobId: "20", ...change });
const restarted = (change: Partial<SlurmJob> = {}) =>
  job(20, { state: "RUNNING", restartCount: 1, submitAt: now - 20_000, ...change });
const waits = (dependency: string) => job(21, { state: "PENDING", nodes: [], name: "other", dependency });
const singleton = { state: "PENDING", nodes: [], dependency: "singleton(unfulfilled)" };
const member = {
  ...singleton,
  priority: 0,
  comment: '{"recovery": {"auto_resume_mode": "singleton_dependency"}}',
};
const held = restarted({ state: "PENDING", priority: 0, nodes: [], reason: "job requeued in held state" });
const ours: Partial<Known> = {
  steps: [step("requeue-hold")],
  marker: { value: { id: "id-0", generation: 1, step: "held", at: now }, writable: true },
  holdReason: "user",
};

/** As `ours`, for as long as no hold of ours may last. */
const longHeld = restarted({ ...held, submitAt: now - 10 - limits.failOpenAfterMs });
const oursForLong: Partial<Known> = {
  ...ours,
  steps: [{ ...doneStep("requeue-hold", now - 10 - limits.failOpenAfterMs), endedAt: now - limits.failOpenAfterMs }],
};
const led = (of: SlurmJob) => ({ job: { ...of, hetJobId: "20" }, other: part(21, { ...of, jobId: "21" }) });

interface Case {
  readonly job: SlurmJob;
  readonly other: SlurmJob;
  readonly known?: Partial<Known>;
  readonly work?: Partial<Work>;
  /** With both rows; then with the other one unreadable, its text shown; then with nothing of it shown. */
  readonly plans: readonly [string, string, string];
}
// biome-ignore format: a table of plans reads in columns.
const cases: readonly [situation: string, of: Case][] = [
  ["a component that may still be leaving",         { job: part(20), other: part(21), plans: ["requeue-hold", "wait", "wait"] }],
  ["a component that may lack an exclusion",        { job: { ...held, hetJobId: "20" }, other: part(21, { ...held, jobId: "21" }), known: ours, plans: ["release", "wait", "wait"] }],
  ["…and no longer once our hold is old",           { ...led(longHeld), known: oursForLong, plans: ["release", "release", "release"] }],
  ["…counted while Slurm answers",                  { ...led(longHeld), known: { ...oursForLong, blindMs: 1 }, plans: ["release", "wait", "wait"] }],
  ["…and what can be read keeps its exclusion",     { ...led(longHeld), known: oursForLong, work: { exclusions: [{ node: "n2", confidence: 1, expiresAt: now + 9_000 }] }, plans: ["update-constraints", "update-constraints", "update-constraints"] }],
  ["…but not where the hold is another's",          { ...led(longHeld), plans: ["ABANDONED HELD_BY_OTHERS", "wait", "wait"] }],
  ["a component of another job",                    { job: part(20), other: job(31, { hetJobId: "30" }), plans: ["requeue-hold", "requeue-hold", "wait"] }],
  ["anybody, to a plain job",                       { job: job(20), other: job(21, { name: "other" }), plans: ["requeue-hold", "requeue-hold", "requeue-hold"] }],
  ["a namesake, where nobody was seen in a chain",  { job: job(20), other: job(21), plans: ["requeue-hold", "requeue-hold", "requeue-hold"] }],
  ["a sibling that may run in its stead",           { job: job(20), other: job(21, { state: "RUNNING" }), known: { singletons: new Set(["21"]) }, plans: ["ABANDONED SUPERSEDED", "wait", "wait"] }],
  ["…where the job itself was seen in the chain",   { job: job(20), other: job(21, { state: "RUNNING" }), work: { sourceDependency: "singleton(unfulfilled)" }, plans: ["ABANDONED SUPERSEDED", "wait", "wait"] }],
  ["…of another user",                              { job: job(20), other: job(21, { user: "eve" }), known: { singletons: new Set(["20"]) }, plans: ["requeue-hold", "requeue-hold", "wait"] }],
  ["a sibling that waits, so that it is a chain",   { job: held, other: job(21, singleton), known: ours, plans: ["update-constraints", "wait", "release"] }],
  ["…however long it is held",                      { job: longHeld, other: job(21, singleton), known: oursForLong, plans: ["update-constraints", "wait", "release"] }],
  ["the next of the chain",                         { job: job(20), other: job(21, member), known: { holdReason: "user" }, work: { isOfChain: true }, plans: ["release", "wait", "wait"] }],
  ["a dependent that may have been lost",           { job: restarted(), other: waits("afterok:20(failed)"), known: confirmed, plans: ["CONVERGED DESIRED_STATE_OBSERVED", "satisfied", "satisfied"] }],
  ["a dependent of another job",                    { job: restarted(), other: waits("afterok:9(failed)"), known: confirmed, plans: ["CONVERGED DESIRED_STATE_OBSERVED", "CONVERGED DESIRED_STATE_OBSERVED", "satisfied"] }],
  ["anybody, to a job that is ended",               { job: job(20, { state: "RUNNING" }), other: part(21), work: { desired: "TERMINATED" }, plans: ["cancel", "cancel", "cancel"] }],
  ["the job itself",                                { job: job(9), other: job(20), plans: ["requeue-hold", "wait", "wait"] }],
];

describe("a row that could not be read", () => {
  test.each(cases)("is there: %s", (_situation, { job: own, other, known, work: change, plans }) => {
    const { user, name, hetJobId, dependency } = other;
    const shown = {
      user,
      name,
      ...(hetJobId === undefined ? {} : { hetJobId }),
      ...(dependency === undefined ? {} : { dependency }),
    };
    const said = (jobs: readonly SlurmJob[], row?: UnreadableRow) => {
      const unreadable = new Map(row === undefined ? [] : [[other.jobId, row] as const]);
      const view = { kind: "seen", at: now, value: slurmView(jobs, { unreadable }) } as const;
      return show(plan({ ...work, ...change }, view, { ...fresh, ...known }, now));
    };
    const why = "State is ?";
    expect([said([own, other]), said([own], { why, shown }), said([own], { why })]).toEqual(plans);
  });
});

function show(next: Plan): string {
  if (next.kind === "act") return next.step.kind;
  return next.kind === "finish" ? `${next.disposition} ${next.reason}` : next.kind;
}
