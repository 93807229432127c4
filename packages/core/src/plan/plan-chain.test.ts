/**
 * Goal    `singleton_dependency`: nothing is requeued, the source is ended only for a next one that may run, and only the author's hold of
 *         that one goes, once it keeps away from the bad node.
 * Method  one table: the jobs as Slurm shows them, the journal, the work; the whole plan on one line. A property over random chains.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { slurmJob, slurmView } from "../fact/slurm-job.example.ts";
import type { Seen, SlurmJob, SlurmView } from "../nouns.ts";
import { doneStep, restartWork } from "./plan.example.ts";
import { plan } from "./plan.ts";
import type { Known, Plan } from "./step.ts";
import type { JournalStep, Work } from "./work.ts";

const now = 1_800_000_100_000;
const submitAt = now - 60_000;
const comment = '{"recovery": {"auto_resume_mode": "singleton_dependency"}}';
const work = restartWork(now, {
  jobId: "10",
  exclusions: [{ node: "n2", confidence: 0.9, expiresAt: now + 3_600_000 }],
  isOfChain: true,
});
const known: Known = {
  steps: [],
  marker: { value: undefined, writable: true },
  site: { partitions: ["gpu"] },
  skipRequeueDelay: true,
  requeueDelayMs: 121_000,
};
const member = (jobId: string, change: Partial<SlurmJob>) =>
  slurmJob({ jobId, recordId: jobId, name: "chain", submitAt, comment, ...change });
const source = (change: Partial<SlurmJob> = {}) => member("10", { state: "FAILED", ...change });
const next = (change: Partial<SlurmJob> = {}, jobId = "11") =>
  member(jobId, {
    state: "PENDING",
    priority: 0,
    nodes: [],
    reason: "JobHeldUser",
    dependency: "singleton(unfulfilled)",
    ...change,
  });
/** Slurm looks at what is held once a minute: nobody comes before it any more. */
const gone = ({ comment: own = comment, ...change }: Partial<SlurmJob> = {}) => {
  const { dependency: _singleton, ...job } = next({ comment: own, ...change });
  return job;
};
const away = { excludedNodes: ["n2"] };
const free = { ...away, priority: 9, reason: "Priority" };
const step = (action: JournalStep["action"], onJob?: string, change: Partial<JournalStep> = {}) =>
  doneStep(action, now - 5_000, { ...(onJob === undefined ? {} : { onJob }), ...change });
const viewOf = (jobs: readonly SlurmJob[]): Seen<SlurmView> => ({
  kind: "seen",
  at: now,
  value: slurmView(jobs),
});
const user = { holdReason: "user" } as const;
const ended = [step("cancel")];
const constrained = [step("update-constraints", "11")];
const released = [...constrained, step("release", "11", { bootedAt: now - 86_400_000 })];
const settled = [...constrained, step("release", "11", { begunAt: now - 6_100, endedAt: now - 6_000 })];
/** slurmctld was started anew since: it may have forgotten the release. */
const anew = { bootedAt: now - 3_000 };
const toldSo: Known["marker"] = {
  value: { id: "release:id-0", generation: 1, step: "released", at: now },
  writable: true,
};

// biome-ignore format: a table of plans reads in columns.
const cases: [situation: string, jobs: SlurmJob[], known: Partial<Known>, work: Partial<Work>, plan: string][] = [
  ["it runs on, stuck: it is ended for the next one",  [source({ state: "RUNNING" }), next()],         {}, {}, "10: cancel"],
  ["…but not when nobody waits behind it",             [source({ state: "RUNNING" })],                 {}, {}, "ABANDONED ACTION_REFUSED"],
  ["…in a look that is as young as the Advice",        [source()],                                     { isLookOlder: true }, {}, "wait"],
  ["…nor for one that is not opted in",                [source({ state: "RUNNING" }), next({ comment: "" })], {}, {}, "ABANDONED ACTION_REFUSED"],
  ["…nor for one of another mode",                     [source({ state: "RUNNING" }), next({ comment: comment.replace("singleton_dependency", "requeue") })], {}, {}, "ABANDONED ACTION_REFUSED"],
  ["…nor for one that has gates of its own",           [source({ state: "RUNNING" }), next({ comment: comment.replace("}}", ', "dag_dependencies": [{"job_id": "3"}]}}') })], {}, {}, "ABANDONED ACTION_REFUSED"],
  ["it leaves: wait",                                  [source({ state: "COMPLETING" }), next()],      { steps: ended }, {}, "wait"],
  ["ended by us: the next one keeps away",             [source({ state: "CANCELLED" }), next()],       { steps: ended }, {}, "11: exclude n2"],
  ["cancelled by its user",                            [source({ state: "CANCELLED" }), next()],       {}, {}, "ABANDONED JOB_ENDED"],
  ["completed meanwhile",                              [source({ state: "COMPLETED" }), next()],       { steps: ended }, {}, "settling JOB_ENDED"],
  ["completed, and another run is wanted",             [source({ state: "COMPLETED" }), next()],       {}, { restartsCompleted: true }, "11: exclude n2"],
  ["it failed by itself",                              [source(), next()],                             {}, {}, "11: exclude n2"],
  ["the oldest one behind it is the next",             [source(), next({}, "13"), next({}, "12"), next({}, "9")], {}, {}, "12: exclude n2"],
  ["others' jobs of this name are none",               [source(), next({ user: "eve" })],              {}, {}, "ABANDONED ACTION_REFUSED"],
  ["Slurm shows it as one no more: its turn has come", [source(), gone(), next({}, "12")],             {}, {}, "11: exclude n2, singleton"],
  ["…for which a stuck one is ended",                  [source({ state: "RUNNING" }), gone()],         {}, {}, "10: cancel"],
  ["…whom only its author's comment tells: of another mode", [source(), gone({ comment: "" }), next({}, "12")], {}, {}, "12: exclude n2"],
  ["…or who was seen to wait as one: not opted in",    [source(), gone({ comment: "" }), next({}, "12")], { singletons: new Set(["11"]) }, {}, "ABANDONED ACTION_REFUSED"],
  ["…and has gates of its own: nobody overtakes it",   [source(), gone({ comment: comment.replace("}}", ', "dag_dependencies": [{"job_id": "3"}]}}') }), next({}, "12")], {}, {}, "ABANDONED ACTION_REFUSED"],
  ["…constrained, but no singleton again",             [source(), gone(away)],                         { steps: constrained, ...user }, {}, "11: exclude n2, singleton"],
  ["…let go: it need not be one again",                [source(), gone(away)],                         { steps: released, ...user, ...anew }, {}, "11: release"],
  ["…and held by its author since: his word",          [source(), gone(away)],                         { steps: released, marker: toldSo }, {}, "settling HELD_BY_OTHERS"],
  ["a namesake that is no singleton is none",          [source(), next({ dependency: "afterok:3(unfulfilled)" })], {}, {}, "ABANDONED ACTION_REFUSED"],
  ["its author's own exclusions, not the source's",    [source(), next({ comment: comment.replace("}}", ', "exclude_nodes": ["n7"]}}') })], {}, { authorExclusions: ["n5"] }, "11: exclude n2 n7"],
  ["what the source kept away from, it does too",      [source({ excludedNodes: ["n4"], startAt: now - 50_000 }), next()], {}, {}, "11: exclude n2 n4"],
  ["…for a day, from when the source started",         [source({ excludedNodes: ["n4"], startAt: now - 86_400_000 }), next()], {}, {}, "11: exclude n2"],
  ["…and it is the first to go",                       [source({ excludedNodes: ["n4"], startAt: now - 50_000 }), next({ excludedNodes: ["n2", "n4"], reason: "BadConstraints" })], { steps: constrained }, {}, "11: exclude n2"],
  ["…what recovery added to it only while the Advice asks for it", [source({ excludedNodes: ["n4", "n5"], startAt: now - 50_000 }), next()], { written: new Map([["10", { exclude: ["n4", "n5"], ours: ["n5"], by: { heimdallJobId: "id-9", attemptIndex: 0 } }]]) }, {}, "11: exclude n2 n4"],
  ["…and all of it where somebody has edited that list", [source({ excludedNodes: ["n4", "n5"], startAt: now - 50_000 }), next()], { written: new Map([["10", { exclude: ["n5"], ours: ["n5"], by: { heimdallJobId: "id-9", attemptIndex: 0 } }]]) }, {}, "11: exclude n2 n4 n5"],
  ["Slurm has let the next one run by itself",         [source({ endAt: now - 9_000 }), member("11", { state: "RUNNING", startAt: now - 9_000 }), next({}, "12")], {}, {}, "ABANDONED SUPERSEDED"],
  ["…and it has ended, too",                           [source({ endAt: now - 9_000 }), member("11", { state: "FAILED", startAt: now - 8_000 }), next({}, "12")], {}, {}, "ABANDONED SUPERSEDED"],
  ["…not one that was cancelled while it waited",      [source({ endAt: now - 9_000 }), member("11", { state: "CANCELLED", startAt: now - 8_000, nodes: [] }), next({}, "12")], {}, {}, "12: exclude n2"],
  ["one that ran beside it is not of its chain",       [source({ endAt: now - 9_000 }), member("11", { state: "RUNNING", startAt: now - 20_000 }), next({}, "12")], {}, {}, "12: exclude n2"],
  ["…nor is one of another mode",                      [source({ endAt: now - 9_000 }), member("11", { state: "RUNNING", startAt: now - 9_000, comment: "" }), next({}, "12")], {}, {}, "12: exclude n2"],
  ["constrained: why is it held?",                     [source(), next(away)],                         { steps: constrained }, {}, "ask-hold 11"],
  ["…by its author",                                   [source(), next(away)],                         { steps: constrained, ...user }, {}, "11: release"],
  ["…by an administrator",                             [source(), next(away)],                         { steps: constrained, holdReason: "admin" }, {}, "settling HELD_BY_OTHERS"],
  ["too few nodes remain: the weakest goes",           [source(), next({ ...away, reason: "BadConstraints" })], { steps: constrained }, {}, "11: exclude"],
  ["let go: it is written down",                       [source(), next(free)],                         { steps: settled }, {}, "11: mark released"],
  ["…when Slurm has saved it",                         [source(), next(free)],                         { steps: released }, {}, "satisfied"],
  ["…and seen twice",                                  [source(), next(free)],                         { steps: released, marker: toldSo, settling: { verdict: "satisfied", since: now - 6_000 } }, {}, "CONVERGED DESIRED_STATE_OBSERVED"],
  ["…and held again by its author: his word",          [source(), next(away)],                         { steps: released, marker: toldSo }, {}, "settling HELD_BY_OTHERS"],
  ["it stays the next one when others come first",     [source(), next(free), next({}, "12")],         { steps: released, marker: toldSo }, {}, "satisfied"],
  ["not held at all, and waiting for the source",      [source(), next({ ...free, excludedNodes: [] })], {}, {}, "11: exclude n2"],
  ["Slurm started it before it was constrained",       [source(), next({ state: "RUNNING", priority: 9 })], { steps: constrained }, {}, "settling STARTED_UNCONSTRAINED"],
  ["it was let go, ran, and was requeued",             [source(), next({ restartCount: 1 })],          { steps: constrained }, {}, "settling SUPERSEDED"],
  ["its user cancelled the next one",                  [source(), next({ state: "CANCELLED" })],       { steps: constrained }, {}, "settling JOB_ENDED"],
  ["the next one has left Slurm",                      [source()],                                     { steps: released }, {}, "settling TARGET_GONE"],
  ["its ID was issued again, to somebody else",        [source(), next({ ...away, user: "eve" })],     { steps: released }, {}, "settling TARGET_GONE"],
  ["withdrawn before anything was done",               [source(), next()],                             {}, { withdrawn: true }, "ABANDONED WITHDRAWN"],
  ["withdrawn when it was constrained: it stays held", [source(), next(away)],                         { steps: constrained }, { withdrawn: true }, "settling WITHDRAWN"],
  ["expired before anything was done",                 [source(), next()],                             {}, { expiresAt: now }, "ABANDONED ADVICE_EXPIRED"],
  ["somebody requeued it",                             [source({ restartCount: 1 }), next()],          {}, {}, "ABANDONED SUPERSEDED"],
];

describe("one of a chain of singletons, by singleton_dependency", () => {
  test.each(cases)("%s", (_situation, jobs, knownChange, workChange, expected) => {
    expect(show(plan({ ...work, ...workChange }, viewOf(jobs), { ...known, ...knownChange }, now))).toBe(expected);
  });

  test("whatever is seen, nothing is requeued, and only the source or the next one is touched", () => {
    const state = fc.constantFrom(
      "PENDING",
      "RUNNING",
      "FAILED",
      "CANCELLED",
      "COMPLETED",
      "COMPLETING",
      "SUSPENDED",
      "NEW",
    );
    const dependency = fc.constantFrom(
      { dependency: "singleton(unfulfilled)" },
      { dependency: "afterok:3(unfulfilled)" },
      {},
    );
    const fields = fc.record({
      state,
      priority: fc.constantFrom(0, 9),
      restartCount: fc.constantFrom(0, 1),
      comment: fc.constantFrom(comment, ""),
      user: fc.constantFrom("ada", "eve"),
      excludedNodes: fc.constantFrom(["n2"], [] as string[]),
    });
    const change = fc.tuple(fields, dependency).map(([one, other]) => ({ ...one, ...other }));
    const steps = fc.subarray([...ended, ...constrained, step("release", "11"), step("mark", "11")]);
    fc.assert(
      fc.property(change, change, change, steps, (a, b, c, done) => {
        const jobs = [member("10", { ...a, user: "ada" }), member("11", b), member("12", c)];
        const said = plan(work, viewOf(jobs), { ...known, ...user, steps: done }, now);
        if (said.kind !== "act") return;
        expect(["cancel", "update-constraints", "mark", "release"]).toContain(said.step.kind);
        expect(said.step.kind === "cancel").toBe(said.job.jobId === "10");
        expect(said.job.user).toBe("ada");
        if (said.step.kind === "release")
          expect(said.job).toMatchObject({ state: "PENDING", comment, excludedNodes: ["n2"] });
      }),
      { numRuns: 2_000 },
    );
  });
});

function show(said: Plan): string {
  switch (said.kind) {
    case "act": {
      const { step: of, job } = said;
      if (of.kind === "update-constraints") {
        const dependency = of.dependency === undefined ? "" : `, ${of.dependency}`;
        return [`${job.jobId}: exclude`, ...of.exclude].join(" ") + dependency;
      }
      return `${job.jobId}: ${of.kind}${of.kind === "mark" ? ` ${of.marker.step}` : ""}`;
    }
    case "finish":
      return `${said.disposition} ${said.reason}`;
    case "settling":
      return `settling ${said.reason}`;
    case "ask-hold":
      return `ask-hold ${said.jobId}`;
    default:
      return said.kind;
  }
}

test("what the author kept the source away from does not become ours by being handed on", () => {
  const jobs = [source({ excludedNodes: ["n4"], startAt: now - 50_000 }), next()];
  expect(plan(work, viewOf(jobs), known, now)).toMatchObject({ step: { exclude: ["n2", "n4"], ours: ["n2"] } });
});
