/**
 * Goal    every step and every ending of design §7 has a row here, and no plan touches another attempt than its own.
 * Method  one table: the work, the job as Slurm shows it, the journal; the whole plan on one line. Properties below.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { slurmJob, slurmView } from "../fact/slurm-job.example.ts";
import type { Instant, Seen, SlurmJob, SlurmView } from "../nouns.ts";
import { holdOwner, landingOf } from "./ownership.ts";
import { doneStep, restartWork } from "./plan.example.ts";
import { plan } from "./plan.ts";
import type { Known, Plan } from "./step.ts";
import type { JournalStep, Marker, Work, Written } from "./work.ts";

const now: Instant = 1_800_000_100_000;
const submitAt = now - 60_000;
/** So late that the submit time alone says whose a requeue was. */
const whenever = { viewAt: Number.POSITIVE_INFINITY };
const work = restartWork(now, { exclusions: [{ node: "n2", confidence: 0.9, expiresAt: now + 3_600_000 }] });
const nodes = new Map(
  ["n1", "n2", "n3", "n4"].map((name) => [
    name,
    { name, state: "idle", isEligible: true, partitions: ["gpu"], features: [] },
  ]),
);
const seen = (job?: SlurmJob, at = now): Seen<SlurmView> => ({
  kind: "seen",
  at,
  value: slurmView(job === undefined ? [] : [job], { nodes }),
});
const marker = (step: Marker["step"], id = "id-0"): Marker => ({ id, generation: 1, step, at: now });
const known: Known = {
  steps: [],
  marker: { value: undefined, writable: true },
  skipRequeueDelay: true,
  requeueDelayMs: 121_000,
};

/** A requeue of ours that ended ten seconds ago. */
const requeued: JournalStep = {
  action: "requeue-hold",
  generation: 1,
  begunAt: now - 10_100,
  endedAt: now - 10_000,
  outcome: "done",
  sourceRan: false,
};
const step = (action: JournalStep["action"], change: Partial<JournalStep> = {}) =>
  doneStep(action, now - 5_000, change);
/** What we last wrote into the job. */
const wrote = (exclude: string[], mine: string[], by: Written["by"] = work) => ({
  written: new Map([["123", { exclude, ours: mine, by }]]),
});
const source = (change: Partial<SlurmJob> = {}) => slurmJob({ submitAt, state: "RUNNING", ...change });
const held = (change: Partial<SlurmJob> = {}) =>
  slurmJob({
    state: "PENDING",
    restartCount: 1,
    priority: 0,
    nodes: [],
    reason: "job requeued in held state",
    submitAt: now - 10_000,
    startAt: now + 111_000,
    ...change,
  });
const released = (change: Partial<SlurmJob> = {}) =>
  held({ priority: 1, reason: "BeginTime", excludedNodes: ["n2"], ...change });
const ours = { steps: [requeued], marker: { value: marker("held"), writable: true } };
const done = { ...ours, steps: [requeued, step("update-constraints"), step("release")] };
const settled = { ...done, skipRequeueDelay: false, marker: { value: marker("released"), writable: true } };

// biome-ignore format: a table of plans reads in columns.
const cases: [situation: string, job: SlurmJob | undefined, known: Partial<Known>, work: Partial<Work>, plan: string][] = [
  ["a failed source",                            source({ state: "FAILED" }),           {}, {}, "requeue-hold"],
  ["a running source is marked first",           source(),                              {}, {}, "mark intent"],
  ["…and then requeued, if it is incomplete",    source(),                              { marker: { value: marker("intent"), writable: true } }, {}, "requeue-hold running"],
  ["a comment that is not ours to change",       source(),                              { marker: { value: undefined, writable: false } }, {}, "requeue-hold running"],
  ["a suspended source: is it held, too?",       source({ state: "SUSPENDED", priority: 0 }), {}, {}, "ask-hold"],
  ["…suspended only",                            source({ state: "SUSPENDED", priority: 0 }), { holdReason: "other", marker: { value: marker("intent"), writable: true } }, {}, "requeue-hold running"],
  ["…released while suspended",                  source({ state: "SUSPENDED", priority: 7 }), { marker: { value: marker("intent"), writable: true } }, {}, "requeue-hold running"],
  ["…held by an administrator, too",             source({ state: "SUSPENDED", priority: 0 }), { holdReason: "admin" }, {}, "ABANDONED HELD_BY_OTHERS"],
  ["…held by its owner, too",                    source({ state: "SUSPENDED", priority: 0 }), { holdReason: "user" }, {}, "ABANDONED HELD_BY_OTHERS"],
  ["…and JSON could not be read",                source({ state: "SUSPENDED", priority: 0 }), { holdReason: "unavailable" }, {}, "wait"],
  ["completing with its own count",              source({ state: "COMPLETING" }),       {}, {}, "wait"],
  ["completed meanwhile",                        source({ state: "COMPLETED" }),        {}, {}, "ABANDONED JOB_ENDED"],
  ["completed, and another run is wanted",       source({ state: "COMPLETED" }),        {}, { restartsCompleted: true }, "requeue-hold"],
  ["cancelled meanwhile",                        source({ state: "CANCELLED" }),        {}, {}, "ABANDONED JOB_ENDED"],
  ["a state that nobody knows",                  source({ state: "EXPLODING" }),        {}, {}, "wait"],
  ["held by an administrator while it ran",      source({ state: "FAILED", priority: 0 }), {}, {}, "ABANDONED HELD_BY_OTHERS"],
  ["submitted with --no-requeue",                source({ state: "FAILED", requeueable: false }), {}, {}, "ABANDONED ACTION_REFUSED"],
  ["a heterogeneous job is requeued by its leader", source({ state: "FAILED", hetJobId: "123" }), {}, {}, "requeue-hold"],
  ["a component that another one leads",         source({ state: "FAILED", hetJobId: "122" }), {}, {}, "ABANDONED ACTION_REFUSED"],
  ["not a batch job",                            source({ state: "FAILED", batch: false }), {}, {}, "ABANDONED ACTION_REFUSED"],
  ["Slurm refused the requeue for good",         source({ state: "FAILED" }),           { steps: [step("requeue-hold", { outcome: "refused" })] }, {}, "ABANDONED ACTION_REFUSED"],
  ["gone from Slurm",                            undefined,                             {}, {}, "ABANDONED TARGET_GONE"],
  ["when it was submitted is not known yet",     source(),                              {}, { sourceSubmitAt: 0 }, "wait"],
  ["its ID belongs to another job now",          source({ submitAt: submitAt + 5_000 }), {}, {}, "ABANDONED TARGET_GONE"],
  ["a later attempt runs",                       held({ restartCount: 2 }),             {}, {}, "ABANDONED SUPERSEDED"],
  ["rolled back before its source",              source(),                              {}, { attemptIndex: 1 }, "ABANDONED TARGET_GONE"],
  ["gone, in a look of before it was known",     undefined,                             { isLookOlder: true }, {}, "wait"],
  ["a later attempt, in such a look",            held({ restartCount: 2 }),             { isLookOlder: true }, {}, "wait"],
  ["an earlier one, in such a look",             source(),                              { isLookOlder: true }, { attemptIndex: 1 }, "wait"],
  ["another job of its ID, in such a look",      source({ submitAt: submitAt + 5_000 }), { isLookOlder: true }, {}, "wait"],
  ["what such a look shows counts",              source({ state: "COMPLETED" }),        { isLookOlder: true }, {}, "ABANDONED JOB_ENDED"],
  ["…and what is done looks again",              source({ state: "FAILED" }),           { isLookOlder: true }, {}, "requeue-hold"],
  ["withdrawn before anything was done",         source({ state: "FAILED" }),           {}, { withdrawn: true }, "ABANDONED WITHDRAWN"],
  ["expired before anything was done",           source({ state: "FAILED" }),           {}, { expiresAt: now }, "ABANDONED ADVICE_EXPIRED"],
  ["accepted without effect, still running",     source(),                              { steps: [step("requeue-hold", { sourceRan: true, endedAt: now - 1_000 })], marker: { value: marker("intent"), writable: true } }, {}, "wait"],
  ["accepted without effect, failed since: too young", source({ state: "FAILED" }),     { steps: [step("requeue-hold", { sourceRan: true })] }, {}, "wait"],
  ["accepted without effect: it had failed",     source({ state: "FAILED" }),           { steps: [step("requeue-hold", { sourceRan: true, endedAt: now - 6_000 })] }, {}, "requeue-hold"],
  ["rolled back after our requeue",              source({ state: "FAILED" }),           { steps: [requeued] }, {}, "requeue-hold"],
  ["a requeue with an unknown outcome, too young", source({ state: "FAILED" }),         { steps: [step("requeue-hold", { outcome: "unknown" })] }, {}, "wait"],
  ["…and old enough to be seen",                 source({ state: "FAILED" }),           { steps: [step("requeue-hold", { outcome: "unknown", endedAt: now - 6_000 })] }, {}, "requeue-hold"],
  ["a requeue begun before a crash",             source({ state: "FAILED" }),           { steps: [{ action: "requeue-hold", generation: 1, begunAt: now - 17_000 }] }, {}, "wait"],

  ["attempt k is still leaving",                 held({ state: "COMPLETING" }),         ours, {}, "wait"],
  ["our hold, not constrained yet",              held(),                                { steps: [requeued] }, {}, "exclude n2, marked"],
  ["an update that Slurm does not take",         held(),                                { ...ours, steps: [requeued, ...Array<JournalStep>(8).fill(step("update-constraints"))] }, {}, "ask-hold"],
  ["…and nobody else would let it go",           held(),                                { ...ours, holdReason: "user", steps: [requeued, ...Array<JournalStep>(8).fill(step("update-constraints"))] }, {}, "release"],
  ["…released without it: the record says so",   held({ priority: 9 }),                 { ...ours, steps: [requeued, ...Array<JournalStep>(8).fill(step("update-constraints")), step("release")] }, {}, "settling ACTION_REFUSED"],
  ["…but eight that were not sent are none",     held(),                                { ...ours, steps: [requeued, ...Array<JournalStep>(8).fill(step("update-constraints", { outcome: "moved" }))] }, {}, "exclude n2"],
  ["the owner's later exclusion is kept",        held({ excludedNodes: ["n4"] }),       ours, {}, "exclude n2 n4"],
  ["…but not of a node that is no more: Slurm would refuse it all", held({ excludedNodes: ["n4", "n9"] }), ours, {}, "exclude n2 n4"],
  ["…which alone is no reason to change anything", held({ excludedNodes: ["n2", "n9"] }), { ...ours, holdReason: "user" }, {}, "release"],
  ["the author's own exclusions",                held(),                                ours, { authorExclusions: ["n3"] }, "exclude n2 n3"],
  ["an exclusion of before that nothing asks for any more", held({ excludedNodes: ["n2", "n3"] }), { ...ours, ...wrote(["n2", "n3"], ["n2", "n3"]) }, {}, "exclude n2"],
  ["…with what the new failure names",           held({ excludedNodes: ["n3"] }),       { ...ours, ...wrote(["n3"], ["n3"]) }, {}, "exclude n2"],
  ["…but not what stood there before us",        held({ excludedNodes: ["n2", "n3", "n4"] }), { ...ours, ...wrote(["n2", "n3", "n4"], ["n2", "n3"]) }, {}, "exclude n2 n4"],
  ["…nor what the author asks for meanwhile",    held({ excludedNodes: ["n2", "n3"] }), { ...ours, ...wrote(["n2", "n3"], ["n2", "n3"]), holdReason: "user" }, { authorExclusions: ["n3"] }, "release"],
  ["…nor in a list that somebody has edited since", held({ excludedNodes: ["n2", "n3"] }), { ...ours, ...wrote(["n3"], ["n3"]), holdReason: "user" }, {}, "release"],
  ["…nor where the ID was another job's then",   held({ excludedNodes: ["n2", "n3"] }), { ...ours, ...wrote(["n2", "n3"], ["n3"], { heimdallJobId: "id-7", attemptIndex: 4 }), holdReason: "user" }, {}, "release"],
  ["…nor what the journal does not know",        held({ excludedNodes: ["n2", "n3"] }), { ...ours, holdReason: "user" }, {}, "release"],
  ["…nor when we do not hold it",                released({ excludedNodes: ["n2", "n3"] }), { ...done, ...wrote(["n2", "n3"], ["n2", "n3"]) }, {}, "start in 2 s, marked"],
  ["…nor against Slurm's will for ever",         held({ excludedNodes: ["n2", "n3"] }), { ...ours, ...wrote(["n2", "n3"], ["n3"]), holdReason: "user", steps: [requeued, ...Array<JournalStep>(8).fill(step("update-constraints"))] }, {}, "release"],
  ["one that expires while we hold the job",     held({ excludedNodes: ["n2"] }),       { ...ours, ...wrote(["n2"], ["n2"]) }, { exclusions: [{ node: "n2", confidence: 1, expiresAt: now }] }, "exclude "],
  ["an expired exclusion is not made",           held(),                                ours, { exclusions: [{ node: "n2", confidence: 1, expiresAt: now }] }, "ask-hold"],
  ["a node that Slurm does not know",            held(),                                ours, { exclusions: [{ node: "gone", confidence: 1, expiresAt: now + 9 }] }, "ask-hold"],
  ["constrained, the log not read to its end",   held({ excludedNodes: ["n2"], submitAt: now - 2_000 }), { ...ours, steps: [{ ...requeued, begunAt: now - 2_100, endedAt: now - 2_000 }] }, { logEnded: false }, "wait"],
  ["constrained: why is it held?",               held({ excludedNodes: ["n2"] }),       ours, {}, "ask-hold"],
  ["…by us alone",                               held({ excludedNodes: ["n2"] }),       { ...ours, holdReason: "user" }, {}, "release"],
  ["…and by an administrator too",               held({ excludedNodes: ["n2"] }),       { ...ours, holdReason: "admin" }, {}, "settling HELD_BY_OTHERS"],
  ["…which could not be read",                   held({ excludedNodes: ["n2"] }),       { ...ours, holdReason: "unavailable" }, {}, "wait"],
  ["Slurm's own hold after an expedited requeue", held({ state: "REQUEUE_HOLD" }),     ours, {}, "settling HELD_BY_OTHERS"],
  ["…whatever its priority",                     held({ state: "REQUEUE_HOLD", priority: 4_294_967_295, excludedNodes: ["n2"] }), {}, {}, "ABANDONED HELD_BY_OTHERS"],
  ["an expedited requeue is Slurm's: constrain",  held({ state: "EXPEDITING", priority: 4_294_967_295 }), {}, {}, "exclude n2"],
  ["a hold that is not ours",                    held(),                                {}, {}, "ABANDONED HELD_BY_OTHERS"],
  ["withdrawn after our hold: it goes as it is", held(),                                { ...ours, holdReason: "user" }, { withdrawn: true }, "release"],
  ["withdrawn, and let go",                      held({ priority: 1 }),                 ours, { withdrawn: true }, "settling WITHDRAWN"],
  ["an ending after our step, seen twice",       held({ priority: 1 }),                 { ...ours, settling: { verdict: "WITHDRAWN", since: now - 6_000 } }, { withdrawn: true }, "ABANDONED WITHDRAWN"],
  ["…and another one the first time",            held({ priority: 1 }),                 { ...ours, settling: { verdict: "JOB_ENDED", since: now - 6_000 } }, { withdrawn: true }, "settling WITHDRAWN"],
  ["rolled back meanwhile: our hold is there again", held(),                            { ...ours, settling: { verdict: "WITHDRAWN", since: now - 6_000 }, holdReason: "user" }, { withdrawn: true }, "release"],
  ["forbidden before anything was done",         source({ state: "FAILED" }),           {}, { withdrawn: true, forbidden: true }, "ABANDONED WITHDRAWN"],
  ["forbidden while the source runs",            source(),                              {}, { withdrawn: true, forbidden: true }, "ABANDONED WITHDRAWN"],
  ["forbidden, and a requeue may be under way",  source({ state: "FAILED" }),           { steps: [{ action: "requeue-hold", generation: 1, begunAt: now - 17_000 }] }, { withdrawn: true, forbidden: true }, "wait"],
  ["forbidden after our requeue: why is it held?", held(),                              ours, { withdrawn: true, forbidden: true }, "ask-hold"],
  ["…by us alone: it does not run",              held(),                                { ...ours, holdReason: "user" }, { withdrawn: true, forbidden: true }, "cancel"],
  ["…and by an administrator too",               held(),                                { ...ours, holdReason: "admin" }, { withdrawn: true, forbidden: true }, "settling HELD_BY_OTHERS"],
  ["…which could not be read",                   held(),                                { ...ours, holdReason: "unavailable" }, { withdrawn: true, forbidden: true }, "wait"],
  ["forbidden after our release, not started",   released(),                            done, { withdrawn: true, forbidden: true }, "cancel"],
  ["forbidden while attempt k is still leaving", held({ state: "COMPLETING" }),         ours, { withdrawn: true, forbidden: true }, "wait"],
  ["forbidden too late: it runs",                released({ state: "RUNNING" }),        done, { withdrawn: true, forbidden: true }, "satisfied"],
  ["forbidden, but Slurm requeued it by itself", released({ excludedNodes: [] }),       {}, { withdrawn: true, forbidden: true }, "ABANDONED WITHDRAWN"],
  ["…or somebody else did, after a lost one of ours", released(),                       { ...done, steps: [{ ...requeued, landedAs: now - 14_000 }, ...done.steps.slice(1)] }, { withdrawn: true, forbidden: true }, "settling WITHDRAWN"],
  ["forbidden, and cancelled by us",             held({ state: "CANCELLED" }),          { ...ours, steps: [requeued, step("cancel")] }, { withdrawn: true, forbidden: true }, "settling WITHDRAWN"],
  ["forbidden, and cancelled by its user",       held({ state: "CANCELLED" }),          ours, { withdrawn: true, forbidden: true }, "settling JOB_ENDED"],
  ["the user cancelled it while held",           held({ state: "CANCELLED" }),          ours, {}, "settling JOB_ENDED"],

  ["released: Slurm's delay is skipped",         released(),                            done, {}, "start in 2 s, marked"],
  ["…not where the site does not want it",       released(),                            { ...done, skipRequeueDelay: false }, {}, "mark released"],
  ["…not after an unknown outcome",              released(),                            { ...done, steps: [step("requeue-hold", { outcome: "unknown", endedAt: now - 20_000, begunAt: now - 20_100 }), ...done.steps] }, {}, "mark released"],
  ["…not over a start time that the owner set",  released({ startAt: now + 900_000 }),  done, {}, "mark released"],
  ["…once",                                      released(),                            { ...done, steps: [...done.steps, step("set-start")] }, {}, "satisfied"],
  ["back-off is a start time, counted from the requeue", released(),                    done, { startDelayMs: 30_000 }, "start in 20 s, marked"],
  ["a back-off beyond Slurm's delay",            released(),                            done, { startDelayMs: 240_000 }, "start in 230 s, marked"],
  ["…also where slurmctld's clock is 5 min behind", released({ submitAt: now - 310_000, startAt: now - 189_000 }), done, { startDelayMs: 240_000 }, "start in 230 s, marked"],
  ["…or 5 min ahead",                            released({ submitAt: now + 290_000, startAt: now + 411_000 }), done, { startDelayMs: 240_000 }, "start in 230 s, marked"],
  ["Slurm's delay is skipped, whatever its clock says", released({ submitAt: now - 310_000, startAt: now - 189_000 }), done, {}, "start in 2 s, marked"],
  ["…and from now on after an unknown outcome",  released(),                            { ...done, steps: [requeued, step("mark", { outcome: "unknown", begunAt: now - 9_100, endedAt: now - 9_000 }), step("update-constraints"), step("release")], marker: { value: undefined, writable: false } }, { startDelayMs: 240_000 }, "start in 240 s"],
  ["Slurm requeued it: constrain, never hold",   released({ excludedNodes: [] }),       {}, {}, "exclude n2"],
  ["Slurm requeued it, constrained: nothing more", released(),                          {}, {}, "satisfied"],
  ["unknown, and Slurm's own delay is short: the hold lasts", held({ excludedNodes: ["n2"] }), { ...ours, steps: [{ ...requeued, outcome: "unknown" }], requeueDelayMs: 1_000, holdReason: "user" }, {}, "wait"],
  ["…or the job shows a shorter one than is configured", held({ excludedNodes: ["n2"], startAt: now - 9_000 }), { ...ours, steps: [{ ...requeued, outcome: "unknown" }], holdReason: "user" }, {}, "wait"],
  ["…or none (25.11 shows held jobs without one)", held({ excludedNodes: ["n2"], startAt: undefined as never }), { ...ours, steps: [{ ...requeued, outcome: "unknown" }], holdReason: "user" }, {}, "wait"],
  ["…not where Slurm's delay is long enough",    held({ excludedNodes: ["n2"] }),       { ...ours, steps: [{ ...requeued, outcome: "unknown" }], holdReason: "user" }, {}, "release"],
  ["BadConstraints: the weakest of ours goes",   held({ reason: "BadConstraints", excludedNodes: ["n2", "n3"] }), done, { exclusions: [...work.exclusions, { node: "n3", confidence: 0.2, expiresAt: now + 9_000 }] }, "exclude n2, dropped n3"],
  ["…of equal ones the last that the Advice tells", held({ reason: "BadConstraints", excludedNodes: ["n2", "n3"] }), done, { exclusions: [...work.exclusions, { node: "n3", confidence: 0.9, expiresAt: now + 9_000 }] }, "exclude n2, dropped n3"],
  ["…before them what is over",                  held({ reason: "BadConstraints", excludedNodes: ["n2", "n3"] }), { ...done, ...wrote(["n2", "n3"], ["n2", "n3"]) }, {}, "exclude n2, dropped n3"],
  ["…whatever node that is no more is there, too", held({ reason: "BadConstraints", excludedNodes: ["n2", "n3", "n9"] }), done, { exclusions: [...work.exclusions, { node: "n3", confidence: 0.2, expiresAt: now + 9_000 }] }, "exclude n2, dropped n3"],
  ["BadConstraints without a part of ours",      held({ reason: "BadConstraints" }),    done, { exclusions: [] }, "settling ACTION_REFUSED"],

  ["it runs as required",                        released({ state: "RUNNING" }),        done, {}, "satisfied"],
  ["it runs without the exclusion",              released({ state: "RUNNING", excludedNodes: [] }), {}, {}, "ABANDONED STARTED_UNCONSTRAINED"],
  ["…because the watchdog let it go",            released({ state: "RUNNING", excludedNodes: [] }), { steps: [requeued, step("watchdog-release")] }, {}, "settling RELEASED_BY_WATCHDOG"],
  ["satisfied a second time, six seconds later", released(),                            { ...settled, settling: { verdict: "satisfied", since: now - 6_000 } }, {}, "CONVERGED DESIRED_STATE_OBSERVED"],
  ["…too early",                                 released(),                            { ...settled, settling: { verdict: "satisfied", since: now - 5_999 } }, {}, "satisfied"],
  ["nothing was left to do",                     released(),                            { settling: { verdict: "satisfied", since: now - 6_000 } }, {}, "CONVERGED ALREADY_SATISFIED"],

  ["terminate a running job",                    source(),                              {}, { desired: "TERMINATED" }, "cancel"],
  ["terminate what has failed",                  source({ state: "FAILED" }),           {}, { desired: "TERMINATED" }, "satisfied"],
  ["terminate a successor that never started",   held(),                                {}, { desired: "TERMINATED" }, "cancel"],
  ["never a successor that has started",         released({ state: "RUNNING" }),        {}, { desired: "TERMINATED" }, "ABANDONED SUPERSEDED"],
  ["terminated, seen twice",                     source({ state: "CANCELLED" }),        { steps: [step("cancel")], settling: { verdict: "satisfied", since: now - 6_000 } }, { desired: "TERMINATED" }, "CONVERGED DESIRED_STATE_OBSERVED"],
];

describe("plan", () => {
  test.each(cases)("%s", (_situation, job, knownChange, workChange, expected) => {
    expect(show(plan({ ...work, ...workChange }, seen(job), { ...known, ...knownChange }, now))).toBe(expected);
  });
  test("nothing follows from a Slurm that could not be read", () => {
    expect(show(plan(work, { kind: "unavailable", why: "timeout", at: now }, known, now))).toBe("wait");
  });
  test("nothing follows from a view that is older than the last step", () => {
    expect(show(plan(work, seen(held(), now - 10_001), ours, now))).toBe("wait");
  });
  const ours: Known = { ...known, steps: [requeued] };
});

describe("whose hold it is", () => {
  const begun: JournalStep = { action: "requeue-hold", generation: 1, begunAt: now - 10_000, sourceRan: false };
  // biome-ignore format: a table.
  const holds: [situation: string, steps: JournalStep[], marker: Marker | undefined, job: Partial<SlurmJob>, owner: string][] = [
    ["the journal saw it end",                         [requeued], undefined, {}, "ours"],
    ["the journal is lost, the marker is there",       [], marker("held"), {}, "ours"],
    ["both lost",                                      [], undefined, {}, "theirs"],
    ["an intent alone proves nothing",                 [], marker("intent"), {}, "theirs"],
    ["the marker of another attempt",                  [], marker("held", "id-9"), {}, "theirs"],
    ["begun without an end, requeued at that time",    [begun], undefined, { submitAt: now - 9_000 }, "ours"],
    ["begun without an end, applied by a slurmctld that hung", [begun], undefined, { submitAt: now + 20_000 }, "ours"],
    ["begun without an end, requeued much later",      [begun], undefined, { submitAt: now + 120_000 }, "theirs"],
    ["begun without an end, requeued before",          [begun], undefined, { submitAt: now - 30_000 }, "theirs"],
    ["begun, a running source that took KillWait to leave", [{ ...begun, sourceRan: true }], marker("intent"), { submitAt: now + 25_000 }, "ours"],
    ["…whose marker a rollback has lost",              [{ ...begun, sourceRan: true }], undefined, { submitAt: now + 25_000 }, "ours"],
    ["an unknown outcome",                             [{ ...begun, endedAt: now, outcome: "unknown" }], undefined, { submitAt: now + 20_000 }, "ours"],
    ["done, with SAC's clock ahead of slurmctld's",    [requeued], undefined, { submitAt: now - 30_000 }, "ours"],
    ["ours was refused; somebody else held it",        [{ ...requeued, outcome: "refused" }], undefined, {}, "theirs"],
    ["seen landing, and the same still",               [{ ...requeued, landedAs: now - 10_000 }], undefined, {}, "ours"],
    ["seen landing, and this is another requeue",      [{ ...requeued, landedAs: now - 14_000 }], undefined, {}, "theirs"],
    ["of unknown outcome, seen landing, and another",  [{ ...begun, landedAs: now - 14_000 }], undefined, {}, "theirs"],
    ["of unknown outcome and a source that ran, seen landing, and the same still", [{ ...begun, sourceRan: true, landedAs: now + 300_000 }], undefined, { submitAt: now + 300_000 }, "ours"],
    ["…and another, so late that only its time tells", [{ ...begun, sourceRan: true, landedAs: now + 300_000 }], undefined, { submitAt: now + 310_000 }, "theirs"],
    ["…and it has left once more, after a crash",      [{ ...begun, sourceRan: true, landedAs: now - 9_000 }], undefined, { submitAt: now + 20_000 }, "ours"],
    ["accepted, of a source that ran, which has left once more", [{ ...requeued, sourceRan: true, landedAs: now - 14_000 }], undefined, {}, "ours"],
    ["the source was seen again: a crash took ours back", [{ ...requeued, undoneAt: now - 5_000 }], undefined, {}, "theirs"],
    ["…and an unknown one did not land",               [{ ...begun, undoneAt: now - 5_000 }], undefined, {}, "theirs"],
    ["begun once more, and somebody else was faster",  [{ ...requeued, undoneAt: now - 9_000 }, { ...requeued, outcome: "moved" }], undefined, {}, "theirs"],
    ["begun once more, and that one was accepted",     [{ ...requeued, landedAs: now - 14_000 }, requeued], undefined, {}, "ours"],
    ["taken back, and the marker is in the job",       [{ ...requeued, undoneAt: now - 5_000 }], marker("held"), {}, "ours"],
    ["released already: whoever holds it now, not us", [requeued, step("release")], marker("released"), { reason: "JobHeldUser" }, "theirs"],
    ["…which is not noted in the job yet",             [requeued, step("release")], marker("held"), { reason: "JobHeldUser" }, "theirs"],
    ["…and cannot be",                                 [requeued, step("release")], undefined, { reason: "JobHeldAdmin" }, "theirs"],
    ["…by the watchdog",                               [requeued, step("watchdog-release")], marker("held"), { reason: "JobHeldUser" }, "theirs"],
    ["…and nobody knows whether Slurm took it",        [requeued, step("release", { outcome: "unknown" })], marker("held"), { reason: "JobHeldUser" }, "theirs"],
    ["…and Slurm refused it",                          [requeued, step("release", { outcome: "refused" })], marker("held"), { reason: "JobHeldUser" }, "ours"],
    ["…and the journal is lost",                       [], marker("released"), { reason: "JobHeldUser" }, "theirs"],
    ["a release that the controller rolled back",      [requeued, step("release")], marker("held"), {}, "ours"],
    ["…before it was noted in the job",                [requeued, step("release")], marker("released"), {}, "ours"],
    ["…and the note is of a time of which the journal knows nothing", [], marker("released"), {}, "theirs"],
    ["…and the requeue with it: this is another one",  [{ ...requeued, landedAs: now - 14_000 }, step("release")], marker("released"), {}, "theirs"],
    ["Slurm's own, in a word that ours never shows",   [requeued], marker("held"), { state: "REQUEUE_HOLD" }, "theirs"],
    ["not held at all",                                [requeued], marker("held"), { priority: 5 }, "none"],
    ["a later attempt",                                [requeued], marker("held"), { restartCount: 2 }, "theirs"],
  ];
  test.each(holds)("%s", (_situation, steps, mark, job, owner) => {
    expect(holdOwner(work, held(job), steps, mark, whenever)).toBe(owner);
  });
});

describe("what became of our last requeue", () => {
  const unknown = step("requeue-hold", { endedAt: now - 6_000, outcome: "unknown" });
  const [back, pending, leaving] = [source(), held(), held({ state: "COMPLETING" })];
  // biome-ignore format: a table.
  const sights: [situation: string, steps: JournalStep[], job: SlurmJob, landing: string | undefined][] = [
    ["there was none",                                 [], back, undefined],
    ["it is there",                                    [requeued], pending, "landed"],
    ["…which is known",                                [{ ...requeued, landedAs: now - 10_000 }], pending, undefined],
    ["…and the old attempt is leaving: not yet named", [requeued], leaving, "leaving"],
    ["…which is known",                                [{ ...requeued, sourceRan: true }], leaving, undefined],
    ["…and the source ran: a crash may name it anew",  [{ ...requeued, sourceRan: true }], pending, undefined],
    ["…released meanwhile",                            [requeued], released(), "landed"],
    ["…of unknown outcome: that one is ours",          [{ ...unknown, sourceRan: true }], pending, "landed"],
    ["…which is known, and it has left once more",     [{ ...unknown, sourceRan: true, landedAs: now - 14_000 }], pending, undefined],
    ["…and the old attempt is leaving: not yet named", [{ ...unknown, sourceRan: true }], leaving, undefined],
    ["accepted, and the source is there again",        [requeued], back, "undone"],
    ["…too early to say",                              [step("requeue-hold")], back, undefined],
    ["…which is known",                                [{ ...requeued, undoneAt: now - 1 }], back, undefined],
    ["of unknown outcome, and it did not land",        [unknown], back, "undone"],
    ["…too early to say",                              [{ ...unknown, endedAt: now - 5_999 }], back, undefined],
    ["begun without an end: its SAC may yet send it",  [{ action: "requeue-hold", generation: 1, begunAt: now - 47_999 }], back, undefined],
    ["…but not when its lease is over",                [{ action: "requeue-hold", generation: 1, begunAt: now - 48_000 }], back, "undone"],
    ["…and it landed",                                 [unknown], pending, "landed"],
    ["nothing was sent, and somebody else requeued",   [step("requeue-hold", { outcome: "moved" })], pending, undefined],
    ["a later attempt",                                [requeued], held({ restartCount: 2 }), undefined],
  ];
  test.each(sights)("%s", (_situation, steps, job, landing) => {
    expect(landingOf(work, job, steps, { viewAt: now })?.kind).toBe(landing);
  });
  test("of unknown outcome, it is not one that came long after", () => {
    const late = now + 130_000;
    expect(landingOf(work, held({ submitAt: now + 120_000 }), [unknown], { viewAt: late })).toBeUndefined();
  });
  test("of unknown outcome, it is what is seen in its time, however far slurmctld's clock is from SAC's", () => {
    for (const submitAt of [now - 300_000, now + 300_000]) {
      expect(landingOf(work, held({ submitAt }), [unknown], { viewAt: now })).toEqual({ kind: "landed", submitAt });
      expect(holdOwner(work, held({ submitAt }), [unknown], undefined, { viewAt: now })).toBe("ours");
    }
  });
  test("the time in which Slurm did not answer is not counted", () => {
    const late = held({ submitAt: now + 200_000 });
    expect(holdOwner(work, late, [unknown], undefined, { ...whenever, blindMs: 60_000 })).toBe("theirs");
    expect(holdOwner(work, late, [unknown], undefined, { ...whenever, blindMs: 100_000 })).toBe("ours");
  });
});

describe("invariants", () => {
  const anyJob = fc.record({
    state: fc.constantFrom(
      "PENDING",
      "RUNNING",
      "SUSPENDED",
      "COMPLETING",
      "COMPLETED",
      "FAILED",
      "CANCELLED",
      "TIMEOUT",
      "PREEMPTED",
      "REQUEUE_HOLD",
      "SPECIAL_EXIT",
      "WHO_KNOWS",
    ),
    restartCount: fc.integer({ min: 0, max: 4 }),
    priority: fc.constantFrom(0, 7),
    submitAt: fc.constantFrom(submitAt, submitAt + 3_000, now - 10_000),
    excludedNodes: fc.subarray(["n1", "n2", "n4"]),
    reason: fc.constantFrom("None", "BeginTime", "BadConstraints", "JobHeldAdmin", "job requeued in held state"),
  });
  const anyStep = fc.record({
    action: fc.constantFrom(
      "mark",
      "requeue-hold",
      "update-constraints",
      "release",
      "set-start",
      "watchdog-release" as const,
    ),
    generation: fc.constantFrom(1, 2),
    begunAt: fc.integer({ min: now - 60_000, max: now - 20_000 }),
    endedAt: fc.integer({ min: now - 20_000, max: now }),
    outcome: fc.constantFrom("done", "moved", "refused", "unknown" as const),
    sourceRan: fc.boolean(),
  });
  const anyKnown: fc.Arbitrary<Known> = fc.record({
    steps: fc.array(anyStep, { maxLength: 4 }),
    marker: fc.record({
      value: fc.constantFrom(undefined, marker("intent"), marker("held"), marker("held", "id-9")),
      writable: fc.boolean(),
    }),
    holdReason: fc.constantFrom("user", "admin", "other", "none", "unavailable" as const),
    skipRequeueDelay: fc.boolean(),
    requeueDelayMs: fc.constant(121_000),
  });
  const anyWork = fc.record({
    desired: fc.constantFrom("RESTARTED", "TERMINATED" as const),
    withdrawn: fc.boolean(),
    generation: fc.constantFrom(1, 2),
    attemptIndex: fc.nat(3),
  });

  test("a step is only ever taken on the source or on a successor that has never started (2, 4)", () => {
    check(({ job, planned, item }) => {
      if (planned.kind !== "act") return;
      const ahead = job.restartCount - item.attemptIndex;
      expect([0, 1]).toContain(ahead);
      if (ahead === 1) expect(["PENDING", "REQUEUE_HOLD", "SPECIAL_EXIT"]).toContain(job.state);
      if (ahead === 0) expect(Math.abs(job.submitAt - item.sourceSubmitAt)).toBeLessThan(1_000);
    });
  });
  test("a completed or cancelled source is never requeued (8); nothing happens while completing or in an unknown state (6)", () => {
    check(({ job, planned }) => {
      if (planned.kind !== "act") return;
      expect(["COMPLETING", "WHO_KNOWS"]).not.toContain(job.state);
      if (planned.step.kind === "requeue-hold") expect(["COMPLETED", "CANCELLED"]).not.toContain(job.state);
    });
  });
  test("only a hold of ours is released, never one that an administrator laid over it, and never before its exclusions are there (10, 11)", () => {
    check(({ job, planned, item, facts }) => {
      if (planned.kind !== "act" || planned.step.kind !== "release") return;
      expect(holdOwner(item, job, facts.steps, facts.marker.value, { viewAt: now })).toBe("ours"); // As plan saw it.
      expect(facts.holdReason).not.toBe("admin");
      if (!item.withdrawn) expect(job.excludedNodes).toContain("n2");
    });
  });
  test("converged comes only from a second satisfied view, six seconds after the first (4)", () => {
    check(({ planned }) => expect(planned.kind === "finish" && planned.disposition === "CONVERGED").toBe(false));
  });

  type Checked = { job: SlurmJob; planned: Plan; item: Work; facts: Known };
  function check(law: (checked: Checked) => void): void {
    fc.assert(
      fc.property(anyJob, anyKnown, anyWork, (j, facts, w) => {
        const [job, item] = [slurmJob(j), { ...work, ...w }];
        law({ job, item, facts, planned: plan(item, seen(job), facts, now) });
      }),
      { numRuns: 2_000 },
    );
  }
});

/** A plan on one line. */
function show(p: Plan): string {
  if (p.kind === "finish") return `${p.disposition} ${p.reason}`;
  if (p.kind === "settling") return `settling ${p.reason}`;
  if (p.kind !== "act") return p.kind;
  switch (p.step.kind) {
    case "mark":
      return `mark ${p.step.marker.step}`;
    case "requeue-hold":
      return `requeue-hold${p.step.isRunning ? " running" : ""}`;
    case "update-constraints": {
      const { exclude, marker: mark, droppedNodes } = p.step;
      return `exclude ${exclude.join(" ")}${mark === undefined ? "" : ", marked"}${droppedNodes.length > 0 ? `, dropped ${droppedNodes.join(" ")}` : ""}`;
    }
    case "set-start":
      return `start in ${p.step.inSeconds} s${p.step.marker === undefined ? "" : ", marked"}`;
    default:
      return p.step.kind;
  }
}
