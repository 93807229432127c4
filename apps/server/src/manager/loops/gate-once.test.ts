/**
 * Goal    a job that waits for others is let go, ended or kept as they fare, however deep the graph, and decided about only when
 *         its gates say something new.
 * Method  the store in memory and the two loops as the server runs them; jobs are published and their Advice is reported on by hand.
 */
import type { Log } from "@reprise/runtime/life.ts";
import { expect, test } from "vitest";
import type { DagDependency, JobStatus } from "@reprise/core/nouns.ts";
import { defaultPolicy } from "@reprise/core/policy/policy.example.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { converged, decided, none, noon, report, s, status } from "../store/testing/world.ts";
import { decideOnce } from "./decide-once.ts";
import { gateOnce, type Told } from "./gate-once.ts";

const quiet: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const after = (jobId: string, trigger: DagDependency["trigger"] = "on_success") => ({ jobId, trigger });

/** Jobs and their dependencies; all of them queued, and whoever has dependencies held. */
async function world(jobs: Readonly<Record<string, readonly DagDependency[]>>) {
  const store = createMemoryStore();
  let now = noon;
  const told: Told = new Map();
  const manager = {
    store,
    clock: { now: () => now, elapsed: () => now, sleep: () => Promise.resolve() },
    site: { cluster: "default" },
  };
  const put = async (jobId: string, state: JobStatus) => {
    const dagDependencies = jobs[jobId] ?? [];
    const coverage = { kind: "covered" as const, policy: { ...defaultPolicy, dagDependencies }, warnings: [] };
    const reason = dagDependencies.length > 0 && state === "PENDING" ? "JobHeldUser" : "None";
    const change = { status: state, jmState: state, coverage, schedulerMetadata: { slurm: { reason } } } as const;
    return await store.upsertJob(report(jobId, 0, change as Parameters<typeof report>[2]), now);
  };
  const uuidOf = async (jobId: string) => (await store.getJobByAttempt("default", jobId, 0))?.heimdallJobId ?? "";
  /** One second of the server. @returns How many attempts were decided about. */
  const pass = async () => {
    now += s;
    await gateOnce(manager, told);
    const undecided = (await store.replica().claimUndecided(1_000, 0, now)).length;
    for (let more = true; more; ) more = await decideOnce(manager, quiet);
    return undecided;
  };
  const said = async (jobId: string) => {
    const advice = await store.getAdvice(await uuidOf(jobId));
    return advice === undefined ? "-" : `${advice.desired}${advice.withdrawnAt === undefined ? "" : " withdrawn"}`;
  };
  const all = async () => (await Promise.all(Object.keys(jobs).map(said))).join(" ");
  for (const jobId of Object.keys(jobs)) await put(jobId, "PENDING");
  return { store, put, pass, said, all, uuidOf, told };
}

test("a job is let go when its parent has completed, and not while the parent only runs or is not decided about", async () => {
  const { put, pass, all } = await world({ 1: [], 2: [after("1")] });
  await pass();
  await put("1", "RUNNING");
  await pass();
  expect(await all()).toBe("- -");
  await put("1", "COMPLETED");
  await pass();
  await pass();
  expect(await all()).toBe("- RELEASED");
});

test("a terminated parent ends those who wait for its success, theirs too, and opens the way for who waits for its failure", async () => {
  const jobs = { 1: [], 2: [after("1")], 3: [after("2")], 4: [after("3")], 5: [after("2", "on_failure")] };
  const { put, pass, all } = await world(jobs);
  await pass();
  await put("1", "CANCELLED");
  for (let i = 0; i < 5; i++) await pass();
  expect(await all()).toBe("- TERMINATED - - -"); // Whoever lets 2 go now is quicker than our cancel, and 3 may come.
  await put("2", "CANCELLED");
  for (let i = 0; i < 2; i++) await pass();
  expect(await all()).toBe("- TERMINATED TERMINATED - RELEASED");
  await put("3", "CANCELLED");
  for (let i = 0; i < 2; i++) await pass();
  expect(await all()).toBe("- TERMINATED TERMINATED TERMINATED RELEASED");
});

test("a release that nobody has carried out yet is taken back when its parent comes to life again", async () => {
  const { put, pass, said } = await world({ 1: [], 2: [after("1")] });
  await put("1", "COMPLETED");
  await pass();
  await pass();
  expect(await said("2")).toBe("RELEASED");
  await put("1", "RUNNING");
  for (let i = 0; i < 2; i++) await pass();
  expect(await said("2")).toBe("RELEASED withdrawn");
});

test("a job that was let go is restarted like any other", async () => {
  const { store, put, pass, said, uuidOf } = await world({ 1: [], 2: [after("1")] });
  await put("1", "COMPLETED");
  for (let i = 0; i < 2; i++) await pass();
  await put("2", "RUNNING");
  await pass();
  expect(await said("2")).toBe("RELEASED");
  await store.observeStatus(await uuidOf("2"), status(1, converged), noon + 5 * s);
  await put("2", "FAILED");
  for (let i = 0; i < 10; i++) await pass();
  expect(await said("2")).toBe("RESTARTED");
});

test("a job whose gates say nothing new is not decided about again; a server that starts decides once more", async () => {
  const { pass, told } = await world({ 1: [], 2: [after("1")], 3: [after("1"), after("7")] });
  expect(await pass()).toBe(3);
  expect(await pass()).toBe(0);
  told.clear();
  expect(await pass()).toBe(2);
  expect(await pass()).toBe(0);
});

test("what the graph says while others are decided about is not lost", async () => {
  const { store, put, pass, all, told } = await world({ 1: [], 2: [after("1")], 3: [after("1")] });
  const { loadGraph } = store;
  const still = { now: () => noon, elapsed: () => noon, sleep: () => Promise.resolve() };
  /** Between the graph that the loop reads and the facts that it decides about, the parent ends, and the gates are looked at. */
  Object.assign(store, {
    async loadGraph() {
      const graph = await loadGraph();
      Object.assign(store, { loadGraph });
      await decided(store, await put("1", "COMPLETED"), none());
      await gateOnce({ store, clock: still }, told);
      return graph;
    },
  });
  await decideOnce({ store, clock: still, site: { cluster: "default" } }, quiet);
  for (let i = 0; i < 3; i++) await pass();
  expect(await all()).toBe("- RELEASED RELEASED");
});

test("the record of a cycle and of a missing parent says which", async () => {
  const { store, pass, all, uuidOf } = await world({ 1: [after("2")], 2: [after("1")], 3: [after("404")] });
  await pass();
  expect(await all()).toBe("- - -");
  const sentences = await Promise.all(
    ["1", "3"].map(async (jobId) => (await store.story("default", jobId))[0]?.decision?.decision.sentence),
  );
  expect(sentences).toEqual([
    "Held, and never released like this: the jobs wait for each other: 1 (train) → 2 (train) → 1 (train).",
    'Held, and never released like this: nobody has seen job 404 on cluster "default".',
  ]);
  expect(await uuidOf("1")).not.toBe("");
});
