/**
 * Goal    who waits for a job by Slurm's own `--dependency` is read right, what a failure broke is mended where that helps, and two of
 *         a chain are never made to run beside each other.
 * Method  texts as squeue shows them; plans of a confirmed restart with its dependents; a property over random texts.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { slurmJob, slurmView } from "../fact/slurm-job.example.ts";
import type { Seen, SlurmJob, SlurmView } from "../nouns.ts";
import { awaitedJobs, isSingleton, lossOf, withDependents } from "./dependents.ts";
import { doneStep, restartWork } from "./plan.example.ts";
import { plan } from "./plan.ts";
import type { Known, Plan } from "./step.ts";
import type { JournalStep, Work } from "./work.ts";

const now = 1_800_000_100_000;
const comment = '{"recovery": {"auto_resume_mode": "requeue"}}';
const parent = slurmJob({ jobId: "12", recordId: "12" });
const task = slurmJob({ jobId: "7_1", recordId: "9", arrayJobId: "7", arrayTaskId: "1" });
const child = (dependency: string, change: Partial<SlurmJob> = {}) =>
  slurmJob({ jobId: "40", recordId: "40", name: "after", state: "PENDING", nodes: [], comment, dependency, ...change });

const shown = (of: SlurmJob, dependency: string, taskId?: string) => {
  const change = taskId === undefined ? {} : { jobId: `40_${taskId}`, arrayJobId: "40", arrayTaskId: taskId };
  const loss = lossOf(child(dependency, change), of);
  return loss?.kind === "mendable" ? loss.dependency : loss?.kind;
};

// biome-ignore format: a table reads in columns.
const losses: [dependency: string, of: SlurmJob, task: string | undefined, loss: string | undefined][] = [
  ["afterok:12(failed)",                           parent, undefined, "afterok:12"],
  ["afterok:12(unfulfilled)",                      parent, undefined, undefined],
  ["afterok:123(failed)",                          parent, undefined, undefined],
  ["afterok:12(failed),singleton(unfulfilled)",    parent, undefined, "afterok:12,singleton"],
  ["afterok:12(failed)?afterany:6+5(unfulfilled)", parent, undefined, "afterok:12?afterany:6+5"],
  ["afternotok:12(failed)",                        parent, undefined, "afternotok:12"],
  ["afterok:7_1(failed)",                          task,   undefined, "afterok:7_1"],
  ["afterok:7_2(failed)",                          task,   undefined, undefined],
  ["afterok:7_*(failed)",                          task,   undefined, "for-good"],
  ["aftercorr:7_*(failed)",                        task,   "1",       "aftercorr:7"],
  ["aftercorr:7_*(failed)",                        task,   "2",       undefined],
  ["afterok:7_*(failed)",                          parent, undefined, undefined],
  ["afterok:12(failed),burst:x(unfulfilled)",      parent, undefined, "for-good"],
  ["(null)",                                       parent, undefined, undefined],
];

describe("what a failure has broken", () => {
  test.each(losses)("%s of %o", (dependency, of, taskId, loss) => expect(shown(of, dependency, taskId)).toBe(loss));

  test("whatever stands there, nothing throws, and what is sent again has no verdicts in it", () => {
    const kind = fc.constantFrom("afterok", "afterany", "aftercorr", "singleton", "unheard");
    const target = fc.constantFrom(":12", ":7_*", ":7_1", ":9+30", "");
    const part = fc
      .tuple(kind, target, fc.constantFrom("(failed)", "(unfulfilled)", "", "(new)"))
      .map((p) => p.join(""));
    const text = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 4 }).map((parts) => parts.join(",")),
    );
    fc.assert(
      fc.property(text, (dependency) => {
        const loss = lossOf(child(dependency), parent);
        if (loss?.kind === "mendable") expect(loss.dependency).not.toMatch(/\((failed|unfulfilled)\)|\*/);
        expect(isSingleton(dependency) && !dependency.includes("singleton(")).toBe(false);
      }),
    );
  });
});

test("who is waited for is told by the names that dependents use, and each job tells who waits for it", () => {
  const waiter = child(
    "afterok:12(unfulfilled),afterany:12(unfulfilled),aftercorr:7_*(unfulfilled),singleton(unfulfilled)",
  );
  expect(awaitedJobs(slurmView([waiter]))).toEqual(
    new Map([
      ["12", ["40"]],
      ["7", ["40"]],
    ]),
  );
  const jobs = [parent, task, waiter, slurmJob({ jobId: "9" })];
  expect(withDependents(jobs, slurmView(jobs)).map(({ dependents }) => dependents)).toEqual([
    ["40"],
    ["40"],
    undefined,
    undefined,
  ]);
  expect(withDependents([parent], slurmView([parent]))).toEqual([parent]);
  const { user, name, dependency = "" } = waiter;
  const unreadable = new Map([["40", { why: "State is ?", shown: { user, name, dependency } }]]);
  expect(withDependents([parent], slurmView([parent], { unreadable }))).toMatchObject([{ dependents: ["40"] }]);
});

const work = restartWork(now, { jobId: "12" });
const step = (action: JournalStep["action"], onJob?: string) =>
  doneStep(action, now - 20_000, onJob === undefined ? {} : { onJob });
const known: Known = {
  steps: [step("requeue-hold"), step("release")],
  marker: { value: { id: "id-0", generation: 1, step: "released", at: now }, writable: true },
  settling: { verdict: "satisfied", since: now - 6_000 },
  site: { partitions: ["gpu"] },
  skipRequeueDelay: false,
  requeueDelayMs: 121_000,
};
function viewOf(jobs: readonly SlurmJob[]): Seen<SlurmView> & { kind: "seen" } {
  return { kind: "seen", at: now, value: slurmView(jobs) };
}
const successor = (change: Partial<SlurmJob> = {}) =>
  slurmJob({ jobId: "12", recordId: "12", restartCount: 1, submitAt: now - 20_000, ...change });
const restarted = (others: readonly SlurmJob[], change: Partial<Known> = {}, job = successor()) =>
  show(plan(work, viewOf([job, ...others]), { ...known, ...change }, now));

function show(next: Plan): string {
  if (next.kind === "act")
    return `${next.job.jobId}: ${next.step.kind} ${"dependency" in next.step ? (next.step.dependency ?? "") : ""}`;
  return next.kind === "finish" ? `${next.disposition} ${next.reason}: ${next.why}` : next.kind;
}
const converged = "CONVERGED DESIRED_STATE_OBSERVED: the successor runs with the constraints";
const lost = child("afterok:12(failed)");

describe("once a restart is confirmed", () => {
  test("the job that lost its parent waits again", () => {
    expect(restarted([lost])).toBe("40: repair-dependency afterok:12");
  });
  test("not before it is confirmed", () => {
    expect(
      show(plan(work, viewOf([successor(), lost]), { ...known, settling: { verdict: "satisfied", since: now } }, now)),
    ).toBe("satisfied");
  });
  test("it is said when all is mended", () => {
    const steps = [...known.steps, step("repair-dependency", "40")];
    expect(restarted([child("afterok:12(unfulfilled)")], { steps })).toBe(
      `${converged}. Of its Slurm dependents: 40 waits again`,
    );
  });
  test("Slurm that goes on losing it is not asked for ever", () => {
    const steps = [...known.steps, step("repair-dependency", "40"), step("repair-dependency", "40")];
    expect(restarted([lost], { steps })).toContain("40 is lost (afterok:12(failed))");
  });
  test("a job that was not opted in, or is in another partition, is told and left", () => {
    for (const change of [
      { comment: "" },
      { partition: "gpu,private" },
      { comment: comment.replace("requeue", "off") },
    ])
      expect(restarted([child("afterok:12(failed)", change)])).toContain(
        "not opted in here: set its Dependency to afterok:12",
      );
  });
  test("what Slurm has cancelled is not undone", () => {
    expect(restarted([child("afterok:12(failed)", { state: "CANCELLED" })])).toBe(
      `${converged}. Of its Slurm dependents: 40 was lost (CANCELLED)`,
    );
  });
  test("a successor that has failed is not waited for again", () => {
    expect(restarted([lost], {}, successor({ state: "FAILED" }))).toContain("40 is lost");
  });
  test("a successor that has completed is", () => {
    expect(restarted([lost], {}, successor({ state: "COMPLETED" }))).toBe("40: repair-dependency afterok:12");
  });
});

const twin = (change: Partial<SlurmJob> = {}) => slurmJob({ jobId: "13", recordId: "13", ...change });
const waiting = twin({ state: "PENDING", nodes: [], dependency: "singleton(unfulfilled)" });
const source = slurmJob({ jobId: "12", recordId: "12", state: "FAILED", submitAt: now - 60_000 });
const fresh: Known = { ...known, steps: [], marker: { value: undefined, writable: true } };
const begun = (others: readonly SlurmJob[], change: Partial<Known> = {}, more: Partial<Work> = {}) =>
  show(plan({ ...work, ...more }, viewOf([source, ...others]), { ...fresh, ...change }, now));
const heldSuccessor = successor({ state: "PENDING", priority: 0, nodes: [], reason: "job requeued in held state" });
const ours = {
  steps: [step("requeue-hold")],
  marker: { value: { id: "id-0", generation: 1, step: "held", at: now }, writable: true },
} as const;

describe("one of a chain of singletons", () => {
  test("is not restarted beside a sibling that has started in its stead", () => {
    const singletons = new Set(["13"]);
    expect(begun([twin()], { singletons })).toMatch(/^ABANDONED SUPERSEDED: overtaken-by-singleton: job 13/);
    expect(begun([twin()], {}, { sourceDependency: "singleton(unfulfilled)" })).toMatch(/^ABANDONED SUPERSEDED/);
  });
  test("nor beside one behind it that has had its turn, whose launch failed: Slurm makes it wait for nobody", () => {
    const [launched, singletons] = [twin({ state: "PENDING", nodes: [], restartCount: 1 }), new Set(["13"])];
    expect(begun([launched], { singletons })).toMatch(
      /^ABANDONED SUPERSEDED: overtaken-by-singleton: job 13, .* may start at/,
    );
    expect(begun([{ ...launched, dependency: "singleton(unfulfilled)" }], { singletons })).toBe("12: requeue-hold ");
    expect(begun([{ ...launched, jobId: "5", recordId: "5" }], { singletons: new Set(["5"]) })).toBe(
      "12: requeue-hold ",
    );
  });
  test("nor beside one behind it that has had its turn, and only waits for nodes", () => {
    const [turned, singletons] = [twin({ state: "PENDING", nodes: [], reason: "Resources" }), new Set(["13"])];
    expect(begun([turned], { singletons })).toMatch(
      /^ABANDONED SUPERSEDED: overtaken-by-singleton: job 13, .* may start/,
    );
    expect(begun([{ ...turned, priority: 0, reason: "JobHeldUser" }], { singletons })).toBe("12: requeue-hold ");
    expect(begun([turned])).toBe("12: requeue-hold ");
  });
  test("others of its name that never were a chain do not matter", () => {
    expect(begun([twin()])).toBe("12: requeue-hold ");
    expect(begun([twin({ user: "eve" })], { singletons: new Set(["13"]) })).toBe("12: requeue-hold ");
  });
  test("while its sibling waits it is restarted, and has its singleton again before it is released", () => {
    expect(begun([waiting])).toBe("12: requeue-hold ");
    expect(restarted([waiting], ours, heldSuccessor)).toBe("12: update-constraints singleton");
    expect(
      restarted([waiting], { ...ours, holdReason: "user" }, { ...heldSuccessor, dependency: "singleton(unfulfilled)" }),
    ).toBe("12: release ");
  });
  test("one before it that waits under the same name would block it for ever: it was no chain", () => {
    const before = twin({
      jobId: "5",
      recordId: "5",
      state: "PENDING",
      nodes: [],
      dependency: "singleton(unfulfilled)",
    });
    expect(restarted([before, waiting], { ...ours, holdReason: "user" }, heldSuccessor)).toBe("12: release ");
  });
});
