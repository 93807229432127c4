/**
 * Goal    figures are counted from what the records of each recovery say, in the window and for whom they are asked, and from nothing else.
 * Method  a recovery step by step, its row looked at after each; then what must not be in a window. `same-answers.contract.ts` compares the
 *         bodies over random histories.
 */
import { expect, test } from "vitest";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import type { JobReport, Store } from "../../store.ts";
import {
  converged,
  crash,
  decided,
  failed,
  hour,
  issue,
  none,
  noon,
  notCovered,
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

const day = { from: noon, to: noon + 24 * hour };
const completed = { status: "COMPLETED", jmState: "COMPLETED" } as const;
const slurm = (partition: string) => ({ schedulerMetadata: { slurm: { partition } } });

const advised = restart(["n1"], { issues: [issue] });

async function failing(store: Store, jobId: string, change: Partial<JobReport> = {}): Promise<AttemptRecord> {
  return await store.upsertJob(report(jobId, 0, { nodes: ["n1", "n2"], ...failed, ...change }), noon);
}

/** The recoveries of a window, as job and attempt. */
async function named(store: Store, window: Parameters<Store["figuresIn"]>[0]): Promise<string[]> {
  const { recoveries } = await store.figuresIn(window, 100);
  expect(await store.recoveriesIn(window, 100)).toEqual(recoveries);
  const jobs = await Promise.all(recoveries.map(({ heimdallJobId }) => store.getJobByUuid(heimdallJobId)));
  return jobs.map((job) => `${job?.jobId}-${job?.attemptIndex}`).sort();
}

export function figuresContract(open: Open): void {
  test("a recovery is told with the time of everything that was seen of it, and without what was not", async () => {
    const { store } = await open();
    const job = await failing(store, "1");
    await store.recordSignals(signals(crash(job)), noon + 61 * s);
    await decided(store, job, advised, noon + 66 * s);
    const row = async () => (await store.figuresIn(day, 10)).recoveries[0];
    const { heimdallJobId } = job;
    const plain = {
      heimdallJobId,
      desired: "RESTARTED",
      because: "hardware-node",
      causeClass: "hardware-node",
      domain: "hardware",
      disposition: "PENDING",
      reason: "UNSPECIFIED",
      isWithdrawn: false,
      expiresAt: noon + 24 * hour,
      nodes: 2,
      hasDetails: true,
      rootAt: noon + 60 * s,
      detectedAt: noon + 61 * s,
      decidedAt: noon + 66 * s,
    };
    expect(await row()).toEqual(plain);

    const done = { heimdallJobId, jobId: "1", attemptIndex: 0, generation: 1, outcome: "done", detail: "" };
    const steps = [
      { ...done, key: "a", action: "requeue-hold", outcome: "refused", begunAt: noon + 66 * s, endedAt: noon + 67 * s },
      { ...done, key: "b", action: "requeue-hold", begunAt: noon + 67 * s, endedAt: noon + 68 * s },
      { ...done, key: "c", action: "release", begunAt: noon + 69 * s, endedAt: noon + 70 * s },
    ];
    await store.reportPass(pass(noon + 71 * s, { steps }), noon + 71 * s);
    await store.upsertJob(report("1", 1, { nodes: ["n2", "n3"] }), noon + 80 * s);
    const next = await store.getJobByAttempt("default", "1", 1);
    const resumed = step(next!, 40, noon + 90 * s, { kind: "resumed", key: "r" });
    await store.recordSignals(signals(resumed), noon + 91 * s);
    await store.observeStatus(heimdallJobId, status(1, { ...converged, observedAt: noon + 86 * s }), noon + 86 * s);
    await store.upsertJob(report("1", 1, completed), noon + 500 * s);
    expect(await row()).toEqual({
      ...plain,
      disposition: "CONVERGED",
      reason: "DESIRED_STATE_OBSERVED",
      actedAt: noon + 68 * s,
      releasedAt: noon + 70 * s,
      runningAt: noon + 80 * s,
      resumedAt: noon + 90 * s,
      convergedAt: noon + 86 * s,
      completedAt: noon + 500 * s,
    });
  });

  test("what gates advised, and a restart after a clean end, are no recoveries; an end is one, and what was withdrawn says so", async () => {
    const { store } = await open();
    const say = async (jobId: string, decision: Parameters<typeof decided>[2]) =>
      decided(store, await failing(store, jobId), decision);
    await say("1", { ...advised, desired: "RELEASED", because: "dag-open" });
    await say("2", { ...advised, desired: "TERMINATED", because: "dag-never" });
    await say("3", { ...advised, because: "completed" });
    await say("4", { ...terminate(), issues: [issue] });
    await say("5", advised);
    await decided(store, await failing(store, "5"), none({ because: "cancelled", withdraw: true }));
    await say("6", none());
    expect(await named(store, day)).toEqual(["4-0", "5-0"]);
    const { recoveries } = await store.figuresIn(day, 10);
    expect(
      recoveries.map(({ desired, because, isWithdrawn }) => `${desired} ${because} ${isWithdrawn}`).sort(),
    ).toEqual(["RESTARTED hardware-node true", "TERMINATED max_requeue_times false"]);
  });

  test("a window holds what was first advised in it; cluster, partition and workflow narrow it", async () => {
    const { store } = await open();
    const say = async (jobId: string, at: number, change: Partial<JobReport> = {}) =>
      decided(store, await failing(store, jobId, change), advised, at);
    await say("1", noon - 1);
    await say("2", noon, { cluster: "other" });
    await say("3", noon + hour, { workflowId: "wf", ...slurm("gpu") });
    await say("4", noon + 24 * hour - 1, slurm("cpu,gpu"));
    await say("5", noon + 24 * hour);
    expect(await named(store, day)).toEqual(["2-0", "3-0", "4-0"]);
    expect(await named(store, { ...day, cluster: "other" })).toEqual(["2-0"]);
    expect(await named(store, { ...day, partition: "gpu" })).toEqual(["3-0", "4-0"]);
    expect(await named(store, { ...day, workflowId: "wf" })).toEqual(["3-0"]);
    expect((await store.figuresIn(day, 2)).recoveries).toHaveLength(2);
    expect(await store.recoveriesIn(day, 2)).toHaveLength(2);
  });

  test("details that have gone for their age are said to be gone", async () => {
    const { store } = await open();
    const job = await failing(store, "1");
    await decided(store, job, advised);
    await store.observeStatus(job.heimdallJobId, status(1, converged), noon);
    await decided(store, job, none());
    await store.expire({ detailsBefore: noon + hour, limit: 10 });
    expect((await store.figuresIn(day, 10)).recoveries).toMatchObject([
      { hasDetails: false, disposition: "CONVERGED" },
    ]);
  });

  test("a run lasts from the end of the attempt before it; what waits has the nodes of what ran; its successor says what was kept", async () => {
    const { store } = await open();
    const first = await store.upsertJob(report("1", 0, { nodes: ["n1", "n2"] }), noon);
    await store.recordSignals(signals(step(first, 1, noon + 10 * s), step(first, 49, noon + 58 * s)), noon + 60 * s);
    await store.upsertJob(report("1", 0, failed), noon + 60 * s);
    await store.upsertJob(report("1", 1, pending), noon + 70 * s);
    const runs = async () => (await store.figuresIn(day, 10)).runs.map(({ heimdallJobId: _, ...run }) => run);
    const plain = { cluster: "default", jobId: "1", incarnation: 0, nodes: 2 };
    const own = { firstStep: 1, firstStepAt: noon + 10 * s, lastStep: 49, lastStepAt: noon + 58 * s };
    const waits = { ...plain, fromAt: noon + 60 * s, progress: {} };
    const ran = { ...plain, fromAt: noon, endedAt: noon + 60 * s, progress: own };
    expect(await runs()).toEqual(expect.arrayContaining([ran, waits]));

    const second = await store.upsertJob(report("1", 1, { nodes: ["n2", "n3", "n4"] }), noon + 80 * s);
    await store.recordSignals(signals(step(second, 41, noon + 90 * s)), noon + 90 * s);
    expect(await runs()).toContainEqual({ ...ran, resumedFromStep: 41 });
    const said = step(second, 40, noon + 85 * s, { kind: "resumed", key: "r" });
    await store.recordSignals(signals(said), noon + 91 * s);
    expect(await runs()).toContainEqual({ ...ran, resumedFromStep: 40 });
    expect(await runs()).toContainEqual(expect.objectContaining({ nodes: 3, fromAt: noon + 60 * s }));
  });

  test("who never started, who is not covered, and who ended before the window, has no run in it", async () => {
    const { store } = await open();
    await store.upsertJob(report("1", 0, pending), noon);
    await store.upsertJob(report("2", 0, { coverage: notCovered }), noon);
    await store.upsertJob(report("3"), noon);
    await store.upsertJob(report("3", 0, completed), noon + s);
    await store.upsertJob(report("4"), noon + s);
    const runs = async (from: number, to: number) => (await store.figuresIn({ from, to }, 10)).runs.map((r) => r.jobId);
    expect((await runs(noon, noon + hour)).sort()).toEqual(["3", "4"]);
    expect(await runs(noon + 2 * s, noon + hour)).toEqual(["4"]);
    expect(await runs(noon - hour, noon)).toEqual([]);
    // A next attempt that Slurm had not shown by then.
    await store.upsertJob(report("3", 1, pending), noon + 2 * hour);
    expect((await runs(noon, noon + hour)).sort()).toEqual(["3", "4"]);
    expect((await runs(noon, noon + 3 * hour)).sort()).toEqual(["3", "3", "4"]);
  });
}
