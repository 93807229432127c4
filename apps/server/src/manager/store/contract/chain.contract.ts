/**
 * Goal    a job that was let go for another one of its chain has that one's past; any other job has only its own.
 * Method  jobs of one chain, and the steps that SAC reports of them.
 */
import { expect, test } from "vitest";
import type { Coverage } from "@reprise/core/nouns.ts";
import type { JobReport, StepRecord, Store } from "../../store.ts";
import { covered, factsOf, failed, noon, type Open, pass, report, s } from "../testing/world.ts";

const ofChain: Coverage =
  covered.kind === "covered"
    ? { ...covered, policy: { ...covered.policy, autoResumeMode: "singleton_dependency" } }
    : covered;

const member = (store: Store, jobId: string, change: Partial<JobReport> = {}) =>
  store.upsertJob(report(jobId, 0, { ...failed, workflowId: "chain", coverage: ofChain, ...change }), noon);

export function chainContract(open: Open): void {
  /** The jobs before this one, as far as they count. */
  const before = async (store: Store, jobId: string, change: Partial<JobReport> = {}) => {
    const { earlier } = await factsOf(store, await member(store, jobId, change));
    return earlier.map(({ attempt }) => `${attempt.jobId}-${attempt.attemptIndex}`);
  };
  const letGo = async (store: Store, source: string, jobId: string, change: Partial<StepRecord> = {}) => {
    const { heimdallJobId } = await member(store, source);
    const key = `j:${source}:${jobId}:${change.outcome ?? ""}`;
    const told = { key, heimdallJobId, jobId: source, attemptIndex: 0, generation: 1, action: "release" };
    const step = {
      ...told,
      begunAt: noon + s,
      endedAt: noon + s,
      outcome: "done",
      detail: `on job ${jobId}`,
      ...change,
    };
    await store.reportPass(pass(noon + s, { steps: [step], complete: false }), noon + s);
  };

  test("whoever was let go has the past of all before him, the oldest first", async () => {
    const { store, replica } = await open();
    await letGo(store, "1", "2");
    await store.upsertJob(report("2", 1, { ...failed, workflowId: "chain", coverage: ofChain }), noon);
    await letGo(store, "2", "3", { detail: "on job 3: the last of three" });
    expect(await before(replica, "1")).toEqual([]);
    expect(await before(replica, "3")).toEqual(["1-0", "2-0", "2-1"]);
  });

  // biome-ignore format: a table
  const strangers: [what: string, step: Partial<StepRecord>, job: Partial<JobReport>][] = [
    ["that Slurm refused to let go",              { outcome: "refused" },                {}],
    ["that was only constrained",                 { action: "update-constraints" },      {}],
    ["whose number only begins like it",          { detail: "on job 22" },               {}],
    ["of another user",                           {},                                    { user: "bo" }],
    ["of another workflow",                       {},                                    { workflowId: "other" }],
    ["of another mode",                           {},                                    { coverage: covered }],
  ];
  test.each(strangers)("one %s has only its own", async (_what, step, job) => {
    const { store, replica } = await open();
    await letGo(store, "1", "2", step);
    expect(await before(replica, "2", job)).toEqual([]);
  });

  /** Slurm's own times, and what it showed of the job while it waited. */
  const ran = (submit: number, start: number, end: number, dependency = "singleton(unfulfilled)") => ({
    schedulerMetadata: {
      slurm: { submitTime: noon + submit * s, startTime: noon + start * s, endTime: noon + end * s, dependency },
    },
  });

  test("whoever Slurm let run by itself has the past of the one that it waited for", async () => {
    const { store, replica } = await open();
    await member(store, "0", ran(0, 0, 10));
    await member(store, "1", ran(1, 10, 20));
    await member(store, "9", { ...ran(1, 10, 25), jobName: "other" });
    expect(await before(replica, "2", ran(2, 30, 40))).toEqual(["0-0", "1-0"]);
  });

  // biome-ignore format: a table
  const alone: [what: string, earlier: Partial<JobReport>, job: Partial<JobReport>][] = [
    ["was submitted after the other had ended",   ran(0, 0, 10),                                   ran(10, 20, 30)],
    ["ran beside it",                             ran(0, 0, 10),                                   ran(1, 5, 30)],
    ["was not seen to wait for it",               ran(0, 0, 10),                                   ran(1, 20, 30, "")],
    ["waited for something else",                 ran(0, 0, 10),                                   ran(1, 20, 30, "afterany:7(unfulfilled)")],
    ["is another user's",                         { ...ran(0, 0, 10), user: "bo" },                ran(1, 20, 30)],
    ["is of another workflow",                    { ...ran(0, 0, 10), workflowId: "other" },       ran(1, 20, 30)],
    ["waited for one of another mode",            { ...ran(0, 0, 10), coverage: covered },         ran(1, 20, 30)],
  ];
  test.each(alone)("one that %s has only its own", async (_what, earlier, job) => {
    const { store, replica } = await open();
    await member(store, "1", earlier);
    expect(await before(replica, "2", job)).toEqual([]);
  });

  test("two that are told to have let each other go end the search", async () => {
    const { store, replica } = await open();
    await letGo(store, "1", "2");
    await letGo(store, "2", "1");
    expect(await before(replica, "2")).toEqual(["1-0"]);
  });
}
