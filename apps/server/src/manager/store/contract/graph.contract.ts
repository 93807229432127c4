/**
 * Goal    the graph has every job that waits and every job that one names, with what is decided about it, and nothing else; and an
 *         attempt that is to be decided about again is.
 */
import { expect, test } from "vitest";
import type { DagDependency } from "@reprise/core/nouns.ts";
import { defaultPolicy } from "@reprise/core/policy/policy.example.ts";
import type { JobReport, Store } from "../../store.ts";
import {
  decided,
  failed,
  hour,
  none,
  noon,
  notCovered,
  pending,
  report,
  restart,
  s,
  settleDecisions,
  status,
  undecided,
  type Open,
} from "../testing/world.ts";

/** A held job with gates. */
function child(jobId: string, dagDependencies: readonly DagDependency[], change: Partial<JobReport> = {}): JobReport {
  const coverage = { kind: "covered" as const, policy: { ...defaultPolicy, dagDependencies }, warnings: [] };
  return report(jobId, 0, { ...pending, coverage, workflowId: "wf", jobName: "evaluate", ...change });
}
const on = (jobId: string): DagDependency => ({ jobId, trigger: "on_success" });
const onNamed = (jobName: string): DagDependency => ({ jobName, trigger: "on_start" });

const members = async (store: Store) =>
  (await store.loadGraph())
    .map(({ cluster, jobId, attemptIndex }) => `${cluster === "default" ? "" : `${cluster} `}${jobId}-${attemptIndex}`)
    .sort();

export function graphContract(open: Open): void {
  test("who waits is in the graph, with every attempt of the jobs that are named by ID in the same cluster", async () => {
    const { store } = await open();
    await store.upsertJob(report("1", 0, { ...failed }), noon);
    await store.upsertJob(report("1", 1), noon + s);
    await store.upsertJob(report("1", 0, { cluster: "other" }), noon);
    await store.upsertJob(report("2", 0, { coverage: notCovered }), noon);
    await store.upsertJob(report("3"), noon);
    expect(await members(store)).toEqual([]);
    await store.upsertJob(child("9", [on("1"), on("2"), on("404")]), noon);
    expect(await members(store)).toEqual(["1-0", "1-1", "2-0", "9-0"]);
  });

  test("a record that no scheduler job is known of waits for nobody", async () => {
    const { store } = await open();
    await store.upsertJob(report("1"), noon);
    const { jobId: _, ...anonymous } = child("9", [on("1")], { heimdallJobId: "12345678-2222-4333-8444-555555555555" });
    await store.upsertJob(anonymous, noon);
    expect(await members(store)).toEqual([]);
  });

  test("the ID of an array means all of its tasks, a task's means that task", async () => {
    const { store } = await open();
    for (const jobId of ["95_0", "95_1", "95_10", "950_1", "95", "7_0", "7_1"])
      await store.upsertJob(report(jobId), noon);
    await store.upsertJob(report("95_0", 1), noon + s);
    await store.upsertJob(report("95_2", 0, { cluster: "other" }), noon);
    await store.upsertJob(child("9", [on("95"), on("7_1")]), noon);
    expect(await members(store)).toEqual(["7_1-0", "9-0", "95-0", "95_0-0", "95_0-1", "95_1-0", "95_10-0"]);
  });

  test("a name is looked for in the workflow and the cluster of who waits", async () => {
    const { store } = await open();
    for (const [jobId, change] of [
      ["1", { workflowId: "wf" }],
      ["2", { workflowId: "wf", jobName: "other" }],
      ["3", { workflowId: "elsewhere" }],
      ["4", { workflowId: "wf", cluster: "other" }],
      ["5", { workflowId: "wf", status: "COMPLETED", jmState: "COMPLETED" }],
    ] as const)
      await store.upsertJob(report(jobId, 0, change), noon);
    await store.upsertJob(child("9", [onNamed("train")]), noon);
    expect(await members(store)).toEqual(["1-0", "5-0", "9-0"]);
  });

  test("who has started, has ended or is a later attempt waits no more", async () => {
    const { store } = await open();
    await store.upsertJob(child("6", [on("1")], { status: "RUNNING", jmState: "RUNNING" }), noon);
    await store.upsertJob(child("7", [on("1")], { status: "CANCELLED" }), noon);
    await store.upsertJob(child("8", [on("1")], { attemptIndex: 1 }), noon);
    expect(await members(store)).toEqual([]);
  });

  test("an attempt is told with its times, its Advice, and whether what is decided about it is the last word", async () => {
    const { store } = await open();
    const parent = await store.upsertJob(report("1"), noon);
    await store.upsertJob(child("9", [on("1")], { submitAt: noon + hour }), noon);
    const graph = async () => (await store.loadGraph()).find(({ jobId }) => jobId === "1");
    const { heimdallJobId } = parent;
    const plain = {
      heimdallJobId,
      cluster: "default",
      jobId: "1",
      incarnation: 0,
      attemptIndex: 0,
      workflowId: "wf-1",
    };
    expect(await graph()).toEqual({
      ...plain,
      jobName: "train",
      status: "RUNNING",
      jmState: "RUNNING",
      coverage: parent.coverage,
      submitAt: noon,
      startedAt: noon,
      isDecided: false,
    });
    await decided(store, parent, none({ reconsiderAt: noon + s }));
    expect(await graph()).toMatchObject({ isDecided: false });
    await decided(store, parent, none());
    expect(await graph()).toMatchObject({ isDecided: true });
    await decided(store, parent, restart());
    expect(await graph()).toMatchObject({ advice: { desired: "RESTARTED", disposition: "PENDING" }, isDecided: true });
    await decided(store, parent, none({ withdraw: true }));
    expect(await graph()).toMatchObject({ advice: { desired: "RESTARTED", withdrawnAt: noon } });
    await store.upsertJob(report("1", 0, failed), noon + s);
    expect(await graph()).toMatchObject({ status: "FAILED", isDecided: false });
  });

  test("an attempt that is to be reconsidered is undecided; one that nobody published is passed over", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await settleDecisions(store, noon);
    await store.reconsider([job.heimdallJobId, "00000000-0000-5000-8000-00000000dead"], noon + s);
    expect(await undecided(store, noon + s)).toEqual(["1-0"]);
    await store.reconsider([], noon + s);
  });

  test("what gates advised is taken back by gates, and followed by whatever the job's own life brings", async () => {
    const { store } = await open();
    const job = await store.upsertJob(child("9", [on("1")]), noon);
    const say = async (decision: Parameters<typeof decided>[2]) => {
      await decided(store, job, decision);
      const { desired, generation, withdrawnAt } = (await store.getAdvice(job.heimdallJobId)) ?? {};
      return `${generation} ${desired}${withdrawnAt === undefined ? "" : " withdrawn"}`;
    };
    const finish = (observedGeneration: number, reason: "DESIRED_STATE_OBSERVED" | "ADVICE_EXPIRED") => {
      const disposition = reason === "ADVICE_EXPIRED" ? ("ABANDONED" as const) : ("CONVERGED" as const);
      return store.observeStatus(job.heimdallJobId, status(observedGeneration, { disposition, reason }), noon);
    };
    const released = restart([], { desired: "RELEASED", because: "dag-open" });
    expect(await say(released)).toBe("1 RELEASED");
    expect(await say(none({ withdraw: true }))).toBe("1 RELEASED"); // "healthy": it runs.
    expect(await say(none({ because: "dag-waiting", withdraw: true }))).toBe("2 RELEASED withdrawn");
    expect(await say(released)).toBe("3 RELEASED");
    await finish(3, "ADVICE_EXPIRED");
    expect(await say(released)).toBe("4 RELEASED");
    await finish(4, "DESIRED_STATE_OBSERVED");
    expect(await say(released)).toBe("4 RELEASED");
    expect(await say(restart())).toBe("5 RESTARTED");
  });
}
