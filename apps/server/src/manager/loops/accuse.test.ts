/**
 * Goal    what one job says against a node reaches the decisions about the others: in time, and never too late.
 * Method  the decide loop on the store in memory: jobs fail one after the other on the nodes of one cluster.
 */
import { expect, test } from "vitest";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Store } from "../store.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import {
  cluster,
  converged,
  crash,
  failed,
  hour,
  noon,
  pass,
  pending,
  position,
  report,
  s,
  signals,
  status,
} from "../store/testing/world.ts";
import { decideOnce } from "./decide-once.ts";

const quiet: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const table = Array.from({ length: 60 }, (_, i) => ({
  name: `n${i + 1}`,
  state: "idle",
  isEligible: true,
  partitions: ["gpu"],
}));

async function clusterOf(): Promise<Store> {
  const store = createMemoryStore();
  await store.reportPass(pass(noon, { nodes: table }), noon);
  return store;
}

async function decide(store: Store, now: Instant): Promise<void> {
  const clock = { now: () => now, elapsed: () => now, sleep: () => Promise.resolve() };
  await store.reportPass(pass(now, { complete: true, seen: await listed(store) }), now);
  while (await decideOnce({ store, clock, site: { cluster } }, quiet));
}

async function listed(store: Store) {
  const { rows } = await store.listJobs({}, { offset: 0, limit: 250 });
  return rows.map(({ jobId, attemptIndex }) => ({ jobId, attemptIndex }));
}

const suspect = { cause: "xid-suspect", causeClass: "hardware-unnamed", exitIndependent: false } as const;

/** It ran on two nodes and failed with this line. */
async function fails(store: Store, jobId: string, nodes: readonly string[], at: Instant, line: object = suspect) {
  const begun = report(jobId, 0, { nodes, submitAt: at - hour });
  await store.upsertJob(begun, at - hour);
  const job = await store.upsertJob({ ...begun, ...failed }, at);
  const evidence = { ...crash(job).evidence, at };
  const told = crash(job, { at, evidence, nodes: nodes.slice(0, 1), ...line });
  const positions = [position(job, 500, { ended: true, readAt: at })];
  await store.recordSignals({ ...signals(told), positions }, at);
  await decide(store, at);
  return job;
}

const without = async (store: Store, { heimdallJobId }: { readonly heimdallJobId: string }) => {
  const advice = await store.getAdvice(heimdallJobId);
  return `g${advice?.generation} ${advice?.desired} without ${advice?.exclusions.map((e) => e.node).join(" ")}`;
};

test("a suspect GPU that another job names within a day is avoided by who comes second, and by who still waits", async () => {
  const store = await clusterOf();
  const first = await fails(store, "1", ["n1", "n2"], noon + hour);
  expect(await without(store, first)).toBe("g1 RESTARTED without ");
  const second = await fails(store, "2", ["n1", "n3"], noon + 2 * hour);
  expect(await without(store, second)).toBe("g1 RESTARTED without n1");
  await decide(store, noon + 2 * hour + s);
  expect(await without(store, first)).toBe("g2 RESTARTED without n1");
});

test("who has been released learns nothing more of it", async () => {
  const store = await clusterOf();
  const first = await fails(store, "1", ["n1", "n2"], noon + hour);
  await store.observeStatus(first.heimdallJobId, status(1, converged), noon + hour + s);
  await fails(store, "2", ["n1", "n3"], noon + 2 * hour);
  expect(await without(store, first)).toBe("g1 RESTARTED without ");
});

test("who runs again learns nothing more of it, though nobody has confirmed the restart yet", async () => {
  const store = await clusterOf();
  const first = await fails(store, "1", ["n1", "n2"], noon + hour);
  await store.upsertJob(report("1", 1, { ...pending, submitAt: noon + hour }), noon + hour + s);
  await store.upsertJob(report("1", 1, { nodes: ["n1", "n4"], submitAt: noon + hour }), noon + hour + 2 * s);
  await fails(store, "2", ["n1", "n3"], noon + 2 * hour);
  expect(await without(store, first)).toBe("g1 RESTARTED without ");
});

test("a node that fails job after job is avoided by a job that failed by itself", async () => {
  const store = await clusterOf();
  await store.upsertJob(report("8", 0, { nodes: table.slice(10, 50).map((n) => n.name) }), noon - 9 * hour);
  for (const n of [1, 2, 3, 4]) await fails(store, `${n}`, ["n1", `n${n + 1}`], noon + n * hour, { nodes: ["n1"] });
  const own = { cause: "python", causeClass: "workload-deterministic", exitIndependent: false, nodes: [] };
  const last = await fails(store, "9", ["n7", "n8"], noon + 9 * hour, own);
  expect(await without(store, last)).toBe("g1 RESTARTED without n1");
  const advice = await store.getAdvice(last.heimdallJobId);
  expect(advice).toMatchObject({ because: "workload-deterministic", exclusions: [{ reason: "fails-different-jobs" }] });
  expect(advice?.sentence).toContain("n1 has failed 4 different jobs.");
});

test("what is said again is not kept again, and nobody is decided about again for it", async () => {
  const store = await clusterOf();
  const first = await fails(store, "1", ["n1", "n2"], noon + hour);
  const entries = await store.loadEvidence(cluster, noon + hour);
  expect(entries).toMatchObject([{ node: "n1", heimdallJobId: first.heimdallJobId, nodesAtRisk: 2 }]);
  await store.recordSignals(signals(crash(first, { key: "again", ...suspect, at: noon + hour })), noon + hour + s);
  await decide(store, noon + hour + 20 * s);
  expect(await store.loadEvidence(cluster, noon + hour)).toEqual(entries);
  expect(await store.claimUndecided(100, 0, noon + 3 * hour)).toEqual([]);
});

test("a database that cannot say what is known of nodes delays a decision, and changes none", async () => {
  const store = await clusterOf();
  const away = { ...store, loadEvidence: () => Promise.reject(new Error("away")) };
  const job = await fails(away, "1", ["n1", "n2"], noon + hour);
  expect(await store.getAdvice(job.heimdallJobId)).toBeUndefined();
  await decide(store, noon + hour + 11 * s);
  expect(await without(store, job)).toBe("g1 RESTARTED without ");
});
