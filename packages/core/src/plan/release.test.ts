/**
 * Goal    every step and every ending of a job that its gates let go, or end, has a row; no hold but its author's first one goes.
 * Method  one table: the job as Slurm shows it, the journal, the work; the whole plan on one line.
 */
import { expect, test } from "vitest";
import { slurmJob, slurmView } from "../fact/slurm-job.example.ts";
import type { Instant, SlurmJob } from "../nouns.ts";
import { doneStep, restartWork } from "./plan.example.ts";
import { plan } from "./plan.ts";
import type { Known, Plan } from "./step.ts";
import type { JournalStep, Marker, Work } from "./work.ts";

const now: Instant = 1_800_000_100_000;
const submitAt = now - 60_000;
const work = restartWork(now, { desired: "RELEASED", logEnded: false, isOfGates: true });
const step = (action: JournalStep["action"], change: Partial<JournalStep> = {}) =>
  doneStep(action, now - 5_000, change);
const pending = { submitAt, state: "PENDING", nodes: [] } as const;
const held = (change: Partial<SlurmJob> = {}) =>
  slurmJob({ ...pending, priority: 0, reason: "JobHeldUser", ...change });
const free = (change: Partial<SlurmJob> = {}) => slurmJob({ ...pending, priority: 9, reason: "Priority", ...change });
const marked: Known["marker"] = {
  value: { id: "release:id-0", generation: 1, step: "released", at: now } satisfies Marker,
  writable: true,
};
const unmarkable = { value: undefined, writable: false };
const user = { holdReason: "user" } as const;
/** slurmctld was started anew since. */
const anew = { bootedAt: now - 3_000 };
const booted = { bootedAt: now - 86_400_000 };
const released = [step("release", booted)];
const settled = [step("release", { ...booted, begunAt: now - 6_100, endedAt: now - 6_000 })];
const settling = (verdict: "satisfied" | "WITHDRAWN") => ({ settling: { verdict, since: now - 6_000 } });
const terminate = { desired: "TERMINATED" } as const;

const launch = "launch failed requeued held";
const away = { excludedNodes: ["n2"] };
const ofLaunch: Partial<Work> = {
  isOfGates: false,
  isOfLaunch: true,
  exclusions: [{ node: "n2", confidence: 0.6, expiresAt: now + 3_600_000 }],
};

// biome-ignore format: a table of plans reads in columns.
const cases: [situation: string, job: SlurmJob | undefined, known: Partial<Known>, work: Partial<Work>, plan: string][] = [
  ["held: why?",                                 held(), {}, {}, "ask-hold"],
  ["…by its author",                             held(), user, {}, "release"],
  ["…by an administrator",                       held({ reason: "JobHeldAdmin" }), { holdReason: "admin" }, {}, "ABANDONED HELD_BY_OTHERS"],
  ["…for a reason nobody knows",                 held(), { holdReason: "other" }, {}, "ABANDONED HELD_BY_OTHERS"],
  ["…which could not be read",                   held(), { holdReason: "unavailable" }, {}, "wait"],
  ["…no more, as JSON says",                     held(), { holdReason: "none" }, {}, "wait"],
  ["withdrawn before it was released",           held(), user, { withdrawn: true }, "ABANDONED WITHDRAWN"],
  ["expired before it was released",             held(), user, { expiresAt: now }, "ABANDONED ADVICE_EXPIRED"],
  ["Slurm itself holds it",                      held({ reason: "BadConstraints" }), user, {}, "ABANDONED ACTION_REFUSED"],
  ["a component that another one leads",        held({ hetJobId: "9" }), user, {}, "ABANDONED ACTION_REFUSED"],
  ["a heterogeneous job, by its leader",         held({ hetJobId: "123" }), user, {}, "release"],
  ["Slurm refused the release",                  held(), { ...user, steps: [step("release", { outcome: "refused" })] }, {}, "ABANDONED ACTION_REFUSED"],
  ["…of an older generation",                    held(), { ...user, steps: [step("release", { outcome: "refused" })] }, { generation: 2 }, "release"],
  ["of unknown outcome, too young",              held(), { ...user, steps: [step("release", { outcome: "unknown" })] }, {}, "wait"],
  ["of unknown outcome, without effect",         held(), { ...user, steps: [step("release", { outcome: "unknown", endedAt: now - 6_000 })] }, {}, "release"],

  ["never held",                                 free(), {}, {}, "satisfied"],
  ["…as a second look says",                     free(), settling("satisfied"), {}, "CONVERGED ALREADY_SATISFIED"],
  ["released by us, and Slurm may not have saved it", free(), { steps: released }, {}, "satisfied"],
  ["…it has: that is written down",              free(), { steps: settled }, {}, "mark release:id-0 released"],
  ["…of unknown outcome: it shows later",        free(), { steps: [step("release", { outcome: "unknown", endedAt: now - 6_000 })] }, {}, "satisfied"],
  ["…once",                                      free(), { steps: [...settled, step("mark")] }, {}, "satisfied"],
  ["…and once more after a release that had to be made again", free(), { steps: [...settled, step("mark"), ...settled] }, {}, "mark release:id-0 released"],
  ["…and is in the job",                         free(), { steps: released, marker: marked }, {}, "satisfied"],
  ["…not where it cannot be written",            free(), { steps: settled, marker: unmarkable }, {}, "satisfied"],
  ["it runs",                                    free({ state: "RUNNING" }), { steps: settled }, {}, "satisfied"],
  ["…as a second look says",                     free({ state: "RUNNING" }), { steps: released, ...settling("satisfied") }, {}, "CONVERGED DESIRED_STATE_OBSERVED"],
  ["it has run, and failed",                     free({ state: "FAILED" }), { steps: released }, {}, "satisfied"],
  ["withdrawn, and it is held no more",          free(), {}, { withdrawn: true }, "ABANDONED WITHDRAWN"],
  ["withdrawn after our release",                free(), { steps: [...released, step("mark")] }, { withdrawn: true }, "settling WITHDRAWN"],
  ["completing",                                 free({ state: "COMPLETING" }), {}, {}, "wait"],
  ["cancelled while it waited",                  held({ state: "CANCELLED" }), {}, {}, "ABANDONED JOB_ENDED"],
  ["requeued since",                             held({ restartCount: 1 }), user, {}, "ABANDONED SUPERSEDED"],
  ["gone",                                       undefined, {}, {}, "ABANDONED TARGET_GONE"],
  ["its ID is another job's now",                held({ submitAt: now }), user, {}, "ABANDONED TARGET_GONE"],

  ["held again after our release: its owner's",  held(), { ...user, steps: [...released, step("mark")], marker: marked }, {}, "settling HELD_BY_OTHERS"],
  ["…a later generation does not take it either", held(), { ...user, steps: [...released, step("mark")], marker: marked }, { generation: 2 }, "settling HELD_BY_OTHERS"],
  ["…which is not noted in the job yet",         held(), { ...user, ...booted, steps: released }, {}, "settling HELD_BY_OTHERS"],
  ["held again, and slurmctld was started anew: it has forgotten the release", held(), { ...user, ...anew, steps: released }, {}, "release"],
  ["…for the third time",                        held(), { ...user, ...anew, steps: [...released, ...released, ...released] }, {}, "settling HELD_BY_OTHERS"],
  ["…and nothing may be written there",          held(), { ...user, ...anew, steps: released, marker: unmarkable }, {}, "settling HELD_BY_OTHERS"],
  ["…and Slurm did not let us write, when it was saved", held(), { ...user, ...anew, steps: [...settled, step("mark", { outcome: "refused" })] }, {}, "settling HELD_BY_OTHERS"],
  ["…and the note, when it was saved, is lost",  held(), { ...user, ...anew, steps: [...settled, step("mark")] }, {}, "settling HELD_BY_OTHERS"],
  ["…or nobody knows which slurmctld it was",    held(), { ...user, ...anew, steps: [step("release")] }, {}, "settling HELD_BY_OTHERS"],
  ["…and an administrator holds it now",         held({ reason: "JobHeldAdmin" }), { holdReason: "admin", ...anew, steps: released }, {}, "settling HELD_BY_OTHERS"],

  ["its gates end a held job",                   held(), {}, terminate, "cancel"],
  ["…also one that an administrator holds",      held({ reason: "JobHeldAdmin" }), {}, terminate, "cancel"],
  ["…which is seen",                             held({ state: "CANCELLED" }), { steps: [step("cancel")] }, terminate, "satisfied"],
  ["not one that somebody has let go",           free(), {}, terminate, "ABANDONED SUPERSEDED"],
  ["not one that runs",                          free({ state: "RUNNING" }), {}, terminate, "ABANDONED SUPERSEDED"],
  ["withdrawn before it was ended",              held(), {}, { ...terminate, withdrawn: true }, "ABANDONED WITHDRAWN"],

  ["not launched: kept away from the node",      held({ reason: launch }), {}, ofLaunch, "exclude n2"],
  ["…then: why is it held?",                     held({ reason: launch, ...away }), { steps: [step("update-constraints")] }, ofLaunch, "ask-hold"],
  ["…by Slurm, which JSON calls the user",       held({ reason: launch, ...away }), user, ofLaunch, "release"],
  ["…and by an administrator, too",              held({ reason: launch, ...away }), { holdReason: "admin" }, ofLaunch, "ABANDONED HELD_BY_OTHERS"],
  ["not launched, and held by somebody since",   held({ reason: "JobHeldUser", ...away }), user, ofLaunch, "ABANDONED HELD_BY_OTHERS"],
  ["not launched too often: Slurm's limit",      held({ reason: "launch failure limit exceeded requeued held", ...away }), user, ofLaunch, "ABANDONED HELD_BY_OTHERS"],
  ["too few nodes remain for it",                held({ reason: "BadConstraints", ...away }), user, ofLaunch, "exclude"],
  ["an operator has let it go already",          free(), {}, ofLaunch, "exclude n2"],
  ["it was launched after all",                  slurmJob({ submitAt, state: "RUNNING" }), settling("satisfied"), ofLaunch, "CONVERGED ALREADY_SATISFIED"],
  ["not launched once more: another attempt",    held({ reason: launch, restartCount: 1 }), {}, ofLaunch, "ABANDONED SUPERSEDED"],
  ["not launched, and slurmctld has forgotten the release", held({ reason: launch, ...away }), { ...user, ...booted, steps: released, marker: marked }, ofLaunch, "release"],
  ["…and somebody holds it since",               held({ reason: "JobHeldUser", ...away }), { ...user, ...anew, steps: released }, ofLaunch, "settling HELD_BY_OTHERS"],
  ["not launched, and withdrawn",                held({ reason: launch }), {}, { ...ofLaunch, withdrawn: true }, "ABANDONED WITHDRAWN"],
];

test.each(cases)("%s", (_situation, job, knownChange, workChange, expected) => {
  const value = slurmView(job === undefined ? [] : [job]);
  const known: Known = {
    steps: [],
    marker: { value: undefined, writable: true },
    skipRequeueDelay: true,
    requeueDelayMs: 121_000,
    ...knownChange,
  };
  expect(show(plan({ ...work, ...workChange }, { kind: "seen", at: now, value }, known, now))).toBe(expected);
});

test("a hold that Slurm itself has made an administrator's is told for what it is", () => {
  const job = held({ reason: "JobHeldAdmin", dependency: "afterok:7(failed)" });
  const value = slurmView([job]);
  const marker = { value: undefined, writable: true };
  const known: Known = { steps: [], marker, skipRequeueDelay: true, requeueDelayMs: 121_000, holdReason: "admin" };
  const next = plan(work, { kind: "seen", at: now, value }, known, now);
  expect(next).toMatchObject({ reason: "HELD_BY_OTHERS" });
  expect(next).toHaveProperty("why", expect.stringContaining("a dependency has failed (afterok:7(failed))"));
});

function show(next: Plan): string {
  if (next.kind === "finish") return `${next.disposition} ${next.reason}`;
  if (next.kind === "settling") return `settling ${next.reason}`;
  if (next.kind !== "act") return next.kind;
  if (next.step.kind === "update-constraints") return ["exclude", ...next.step.exclude].join(" ");
  return next.step.kind === "mark" ? `mark ${next.step.marker.id} ${next.step.marker.step}` : next.step.kind;
}
