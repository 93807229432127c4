/**
 * Goal    a heterogeneous job is one job: requeued, released and published by its leader, and each component keeps away from the bad
 *         node with its own constraints.
 * Method  a leader and two components as Slurm shows them; the whole plan on one line.
 */
import { describe, expect, test } from "vitest";
import { wholeJobs } from "../fact/heterogeneous.ts";
import { slurmJob, slurmView } from "../fact/slurm-job.example.ts";
import type { Seen, SlurmJob, SlurmView } from "../nouns.ts";
import { doneStep, restartWork } from "./plan.example.ts";
import { plan } from "./plan.ts";
import type { Known, Plan } from "./step.ts";
import type { JournalStep } from "./work.ts";

const now = 1_800_000_100_000;
const work = restartWork(now, {
  jobId: "20",
  exclusions: [{ node: "n2", confidence: 0.9, expiresAt: now + 3_600_000 }],
  partition: "gpu,cpu",
});
const step = (action: JournalStep["action"], onJob?: string) =>
  doneStep(action, now - 10_000, onJob === undefined ? {} : { onJob });
const ours: Known = {
  steps: [step("requeue-hold")],
  marker: { value: { id: "id-0", generation: 1, step: "held", at: now }, writable: true },
  skipRequeueDelay: true,
  requeueDelayMs: 121_000,
};
const component = (n: number, change: Partial<SlurmJob>) =>
  slurmJob({ jobId: String(20 + n), recordId: String(20 + n), hetJobId: "20", submitAt: now - 60_000, ...change });
const all = (...changes: readonly Partial<SlurmJob>[]) =>
  [0, 1, 2].map((n) => component(n, changes[n] ?? changes[0] ?? {}));
const held = {
  state: "PENDING",
  restartCount: 1,
  priority: 0,
  nodes: [],
  reason: "job requeued in held state",
  submitAt: now - 10_000,
  startAt: now + 111_000,
};
const away = { ...held, excludedNodes: ["n2"] };
const free = { ...away, priority: 9, reason: "BeginTime" };
const viewOf = (jobs: readonly SlurmJob[]): Seen<SlurmView> => ({
  kind: "seen",
  at: now,
  value: slurmView(jobs),
});
const done = [step("requeue-hold"), step("update-constraints"), step("release")];

// biome-ignore format: a table of plans reads in columns.
const cases: [situation: string, jobs: SlurmJob[], known: Partial<Known>, plan: string][] = [
  ["all have failed: the leader is requeued",       all({ state: "FAILED" }), { steps: [] }, "20: requeue-hold"],
  ["a component still leaves",                      all({ state: "FAILED" }, { state: "COMPLETING" }), { steps: [] }, "wait"],
  ["it runs: the leader is marked first",           all({ state: "RUNNING" }), { steps: [], marker: { value: undefined, writable: true } }, "20: mark"],
  ["held: the leader is constrained first",         all(held), {}, "20: exclude n2"],
  ["…then each component, its own kept",            all(away, { ...held, excludedNodes: ["n5"] }, held), {}, "21: exclude n2 n5"],
  ["…the last one, too",                            all(away, away, held), {}, "22: exclude n2"],
  ["…but not one that needs the node",              all(away, away, { ...held, requiredNodes: ["n2"] }), { holdReason: "user" }, "20: release"],
  ["a component still leaves after the requeue",    all(held, { ...held, state: "COMPLETING" }), {}, "wait"],
  ["a component cannot be placed",                  all(away, { ...away, reason: "BadConstraints" }, away), {}, "21: exclude"],
  ["an update that Slurm does not take for one",    all(away, held, held), { steps: [step("requeue-hold"), ...Array<JournalStep>(8).fill(step("update-constraints", "21"))], holdReason: "user" }, "20: release"],
  ["all keep away: they are released together",     all(away), { holdReason: "user" }, "20: release"],
  ["released: their start time is one",             all(free), { steps: done }, "20: set-start"],
  ["…and the leader is marked after it",            all(free), { steps: [...done, step("set-start")] }, "20: mark"],
  ["…and then it is seen",                          all(free), { steps: [...done, step("set-start"), step("mark")], marker: { value: { id: "id-0", generation: 1, step: "released", at: now }, writable: true } }, "satisfied"],
  ["one started without the exclusion",             all({ ...away, state: "RUNNING" }, { ...held, state: "RUNNING" }), { steps: done }, "settling STARTED_UNCONSTRAINED"],
];

describe("a heterogeneous job", () => {
  test.each(cases)("%s", (_situation, jobs, change, expected) => {
    expect(show(plan(work, viewOf(jobs), { ...ours, ...change }, now))).toBe(expected);
  });

  test("is published as one job: the leader, with what all have", () => {
    const jobs = all(
      { nodes: ["n1"], nodeCount: 1, partition: "gpu", excludedNodes: ["n9"] },
      { nodes: ["n3", "n1"], nodeCount: 2, partition: "cpu" },
      { nodes: ["n4"], nodeCount: 1, partition: "gpu" },
    );
    const other = slurmJob({ jobId: "5" });
    const led = component(7, { hetJobId: "404" });
    const [first, whole, ...more] = wholeJobs({ jobs: new Map([other, ...jobs, led].map((job) => [job.jobId, job])) });
    expect(more).toEqual([]);
    expect(first).toBe(other);
    expect(whole).toMatchObject({
      jobId: "20",
      nodes: ["n1", "n3", "n4"],
      nodeCount: 4,
      partition: "gpu,cpu",
      excludedNodes: ["n9"],
      hetComponents: ["20", "21", "22"],
    });
    const [leaving] = wholeJobs({
      jobs: new Map(all({ nodes: ["n1"] }, { nodes: [] }).map((job) => [job.jobId, job])),
    });
    expect(leaving?.nodes).toEqual([]);
  });
});

function show(said: Plan): string {
  if (said.kind === "settling") return `settling ${said.reason}`;
  if (said.kind !== "act") return said.kind;
  const { step: of, job } = said;
  const more = of.kind === "update-constraints" ? ["exclude", ...of.exclude].join(" ") : of.kind;
  return `${job.jobId}: ${more}`;
}
