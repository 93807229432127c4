/**
 * Goal    what SAC only observed is told with everything that happened to the job since, and nothing that SAC touched is among it.
 * Method  one observed Advice, its row looked at after each thing that happens; then what must not be in it. `same-answers.contract.ts`
 *         compares the bodies over random histories.
 */
import { expect, test } from "vitest";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import type { JobReport, Store } from "../../store.ts";
import {
  decided,
  failed,
  hour,
  issue,
  noon,
  pass,
  pending,
  report,
  restart,
  s,
  signals,
  status,
  step,
  terminate,
  type Open,
} from "../testing/world.ts";

const week = { from: noon, to: noon + 168 * hour };
const advised = restart(["n1"], { issues: [issue] });
const observed = { disposition: "PENDING", reason: "OBSERVE_MODE", message: "observe mode" } as const;

/** A job that has failed, and about which `decision` was observed only. */
async function watched(
  store: Store,
  jobId: string,
  change: Partial<JobReport> = {},
  decision = advised,
): Promise<AttemptRecord> {
  const given = { nodes: ["n1", "n2"], workflowId: "wf", ...change };
  await store.upsertJob(report(jobId, 0, given), noon);
  const job = await store.upsertJob(report(jobId, 0, { ...given, ...failed }), noon + 61 * s);
  await decided(store, job, decision, noon + 66 * s);
  await store.observeStatus(job.heimdallJobId, status(1, observed), noon + 67 * s);
  return job;
}
const jobsIn = async (store: Store) => (await store.shadowIn(week, 100)).map(({ jobId }) => jobId).sort();

export function shadowContract(open: Open): void {
  test("an attempt that was only observed, and what happens to it one after the other", async () => {
    const { store } = await open();
    const { heimdallJobId, endedAt = 0 } = await watched(store, "1");
    const row = async () => (await store.shadowIn(week, 10))[0];
    const plain = {
      heimdallJobId,
      cluster: "default",
      jobId: "1",
      attemptIndex: 0,
      workflowId: "wf",
      jobName: "train",
      desired: "RESTARTED",
      because: "hardware-node",
      rootAt: noon + 60 * s,
      decidedAt: noon + 66 * s,
      nodes: 2,
      status: "FAILED",
      endedAt: noon + 61 * s,
    };
    expect(await row()).toEqual(plain);
    expect(endedAt).toBe(noon + 61 * s);

    await store.recordSignals(signals(step({ heimdallJobId }, 7, noon + 50 * s)), noon + 70 * s);
    expect(await row()).toEqual({ ...plain, lastStepAt: noon + 50 * s });
    // The owner submits it anew; two more come later.
    await store.upsertJob(report("9", 0, { workflowId: "wf", ...pending }), noon + 100 * s);
    await store.upsertJob(report("8", 0, { workflowId: "wf" }), noon + 200 * s);
    const anew = { resubmittedAs: "9", resubmittedAt: noon + 100 * s };
    expect(await row()).toMatchObject(anew);
    expect(await row()).not.toHaveProperty("resubmitStartedAt");
    await store.upsertJob(report("9", 0, { workflowId: "wf" }), noon + 130 * s);
    expect(await row()).toMatchObject({ ...anew, resubmitStartedAt: noon + 130 * s });
    // Slurm, or somebody, requeues it.
    await store.upsertJob(report("1", 1, { workflowId: "wf", ...pending }), noon + 300 * s);
    await store.upsertJob(report("1", 1, { workflowId: "wf" }), noon + 310 * s);
    await store.upsertJob(
      report("1", 1, { workflowId: "wf", status: "COMPLETED", jmState: "COMPLETED" }),
      noon + 900 * s,
    );
    expect(await row()).toMatchObject({
      requeuedAt: noon + 300 * s,
      restartedAt: noon + 310 * s,
      completedAt: noon + 900 * s,
    });
  });

  test("who has another name, user, workflow or array task, or came too late, is no resubmission", async () => {
    const { store } = await open();
    await watched(store, "1_4");
    const others: [string, Partial<JobReport>, number?][] = [
      ["2", { jobName: "eval" }],
      ["3", { user: "bob" }],
      ["4", { workflowId: "other" }],
      ["1_5", {}],
      ["5", {}, noon + 26 * hour],
    ];
    for (const [jobId, change, at = noon + hour] of others)
      await store.upsertJob(report(jobId, 0, { workflowId: "wf", ...change }), at);
    expect((await store.shadowIn(week, 10))[0]).not.toHaveProperty("resubmittedAs");
  });

  test("what SAC touched, what nobody observed, and what gates advised is not in it", async () => {
    const { store } = await open();
    const { heimdallJobId } = await watched(store, "1");
    await watched(store, "2", {}, { ...advised, desired: "RELEASED", because: "dag-open" });
    await watched(store, "3", {}, { ...advised, because: "completed" });
    await watched(store, "4", {}, { ...terminate(), issues: [issue] });
    const unobserved = await store.upsertJob(report("5", 0, failed), noon);
    await decided(store, unobserved, advised, noon + 66 * s);
    expect(await jobsIn(store)).toEqual(["1", "4"]);
    const touch = {
      key: "a",
      heimdallJobId,
      jobId: "1",
      attemptIndex: 0,
      generation: 1,
      detail: "",
      begunAt: noon + 70 * s,
    };
    const refused = { ...touch, action: "refused-by-gate", outcome: "refused", endedAt: noon + 70 * s };
    await store.reportPass(pass(noon + 71 * s, { steps: [refused] }), noon + 71 * s);
    expect(await jobsIn(store)).toEqual(["1", "4"]);
    const done = { ...touch, key: "b", action: "requeue-hold", outcome: "unknown", endedAt: noon + 80 * s };
    await store.reportPass(pass(noon + 81 * s, { steps: [done] }), noon + 81 * s);
    expect(await jobsIn(store)).toEqual(["4"]);
  });

  test("it holds what was first advised in the window, of the partition that is asked for, and at most so many", async () => {
    const { store } = await open();
    const slurm = (partition: string) => ({ schedulerMetadata: { slurm: { partition } } });
    await watched(store, "1", slurm("gpu"));
    await watched(store, "2", slurm("cpu"));
    const of = async (window: object, limit = 10) => (await store.shadowIn({ ...week, ...window }, limit)).length;
    expect([await of({}), await of({ partition: "gpu" }), await of({ cluster: "other" }), await of({}, 1)]).toEqual([
      2, 1, 0, 1,
    ]);
    expect([await of({ from: noon + 67 * s }), await of({ to: noon + 66 * s })]).toEqual([0, 0]);
  });
}
