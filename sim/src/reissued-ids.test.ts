/**
 * Goal    E21: a job whose ID another job had before inherits nothing of it: no attempt, budget, Advice, exclusion, order, evidence, log
 *         position or gate; and a job that the controller has rolled back is still the same job.
 * Method  rows that a real Slurm 22.05.8 printed when its controller was killed right behind a submit and right behind a requeue
 *         (`apps/sac/src/slurm/testdata/22.05.8/lives`), by SAC's own parser and reports into the server's routes, store and decide loop.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { gatesOf } from "@reprise/core/dag/gates.ts";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import { HeimdallService } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import { ObservationService, RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { publish } from "@reprise/sac/loops/observe-once.ts";
import { nothingPublished } from "@reprise/sac/loops/published.ts";
import { serverOver } from "@reprise/sac/server-client.ts";
import { parseExcluded, parseSqueue } from "@reprise/sac/slurm/parse-squeue.ts";
import { columns } from "@reprise/sac/slurm/squeue-columns.ts";
import { decideOnce } from "@reprise/server/manager/loops/decide-once.ts";
import { heimdallRoutes } from "@reprise/server/manager/routes/heimdall.ts";
import { observationRoutes } from "@reprise/server/manager/routes/observation.ts";
import { recoveryRoutes } from "@reprise/server/manager/routes/recovery.ts";
import { createMemoryStore } from "@reprise/server/manager/store/memory/memory-store.ts";
import {
  covered,
  crash,
  pending,
  position,
  report,
  signals,
  status,
} from "@reprise/server/manager/store/testing/world.ts";
import { clientOver } from "./rpc.ts";

const folder = new URL("../../apps/sac/src/slurm/testdata/22.05.8/lives/", import.meta.url);
const s = 1_000;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
/** As they were asked for then; those that came since are not in the rows. */
const recorded = readFileSync(new URL("columns.txt", folder), "utf8").trim().split("\n");
const asked = recorded.flatMap((name) => columns.find((column) => column === name) ?? []);

/** @param as Under another ID, as when Slurm's IDs have wrapped; the rest of the row stays. */
function listingOf(name: string, as?: { readonly from: string; readonly to: string }) {
  const read = (file: string) => {
    const text = readFileSync(new URL(file, folder), "utf8");
    return as === undefined ? text : text.replaceAll(`${as.from}\x1fmark`, `${as.to}\x1fmark`);
  };
  const listing = parseSqueue(read(`${name}.txt`), asked, "mark", parseExcluded(read(`${name}.excluded.txt`), "mark"));
  if (listing.kind !== "listing") throw new Error(`${name}: ${listing.why}`);
  return listing;
}

const nodes = new Map(
  ["n1", "n2", "n3"].map((name) => [
    name,
    { name, state: "idle", isEligible: true, partitions: ["gpu"], features: [] },
  ]),
);

/** One SAC beside one server. */
function world() {
  const store = createMemoryStore();
  let now = 1_795_992_000 * s;
  const manager = {
    store,
    clock: { now: () => now, elapsed: () => now, sleep: () => Promise.resolve() },
    site: { cluster: "c" },
  };
  const caller = { name: "sac", signal: new AbortController().signal };
  const link = {
    unary: (_name: string, call: (by: typeof caller) => Promise<object>) => call(caller),
    stream: (_name: string, open: (by: typeof caller) => AsyncIterable<object>) => open(caller),
  };
  const server = serverOver({
    observation: clientOver(ObservationService, () => observationRoutes(manager), link),
    heimdall: clientOver(HeimdallService, () => heimdallRoutes(manager), link),
    recovery: clientOver(RecoveryService, () => recoveryRoutes(manager), link),
  });
  const published = nothingPublished();
  const allowed = { mode: "act", partitions: ["gpu"] } as const;
  const sac = { allowed, ordersGeneration: 0, openHolds: 0, brakes: [] };
  const context = {
    cluster: "c",
    leaseTerm: 1,
    force: allowed,
    sac,
    partitions: allowed.partitions,
    slurmReleases: [],
    steps: [],
  };
  const decide = async () => {
    for (let more = true; more; ) more = await decideOnce(manager, quiet);
  };
  const see = async (name: string, as?: Parameters<typeof listingOf>[1]) => {
    const { jobs, unreadable } = listingOf(name, as);
    now = Math.max(now + s, ...[...jobs.values()].map(({ submitAt }) => submitAt + s));
    const view = { cluster: "c", jobs, unreadable, nodes };
    await publish({ kind: "seen", value: view, at: now }, published, context, server);
    await decide();
  };
  /** Nothing more comes: every log was waited for long enough, by looks that show the same. */
  const wait = async (name: string, as?: Parameters<typeof listingOf>[1]) => {
    now += 20 * s;
    await see(name, as);
  };
  const attempt = async (jobId: string, index: number): Promise<AttemptRecord> => {
    const found = await store.getJobByAttempt("c", jobId, index);
    if (found === undefined) throw new Error(`nobody has seen ${jobId}-${index}`);
    return found;
  };
  return { store, see, wait, decide, attempt, now: () => now };
}
type World = ReturnType<typeof world>;

/** What could be handed on: a root line with its node, a position in the log, and what is decided from them. */
async function blame({ store, attempt, decide, now }: World, jobId: string, index: number): Promise<AttemptRecord> {
  const job = await attempt(jobId, index);
  const path = `/lab/jobs/slurm-${jobId}.out`;
  const evidence = { source: "log" as const, line: "uncorrectable ECC error", path, offset: 100, at: now() };
  await store.recordSignals(
    {
      ...signals(crash(job, { at: now(), evidence })),
      positions: [position(job, 500, { path, ended: true, readAt: now() })],
    },
    now(),
  );
  await decide();
  return job;
}

/** And an order about the job. */
async function forbid({ store, decide, now }: World, jobId: string): Promise<void> {
  await store.setOverride({ jobId, cluster: "c" }, { action: "never", reason: "wrong data", by: "ada" }, now());
  await decide();
}

async function expectFresh({ store, attempt, now }: World, jobId: string, first: AttemptRecord): Promise<void> {
  const job = await attempt(jobId, 0);
  expect(job).toMatchObject({ incarnation: 1, jobName: "evaluate" });
  expect(job.heimdallJobId).not.toBe(first.heimdallJobId);
  const facts = (await store.loadFacts([job.heimdallJobId], now()))[0];
  expect(facts).toMatchObject({ earlier: [], signals: [], overrides: [], progress: {} });
  expect(facts).not.toHaveProperty("successor");
  const story = await store.story("c", jobId);
  expect(story.map((one) => one.attempt.heimdallJobId)).toEqual([job.heimdallJobId]);
  const advice = await store.getAdvice(job.heimdallJobId);
  expect(advice).toMatchObject({ generation: 1, desired: "RESTARTED", because: "unexplained", exclusions: [] });
  const budgets = story[0]?.decision?.decision.budgets ?? [];
  expect(budgets.find(({ bound }) => bound === "max_requeue_times")).toMatchObject({ spent: 0, allowed: 3 });
  const ask = { watcher: "w", limit: 10, renew: [], release: [] };
  const { targets } = await store.claimTargets(ask, 30 * s, now());
  const target = targets.find((one) => one.attempt.heimdallJobId === job.heimdallJobId);
  expect(target).toMatchObject({ positions: [], earlier: [] });
  expect(await store.getJobByUuid(first.heimdallJobId)).toMatchObject({ incarnation: 0, jobName: "train" });
}

/** What a job that waits for this ID, submitted then, is told of its parent. */
async function gateOf({ store }: World, jobId: string, submitAt: number): Promise<string | undefined> {
  const dagDependencies = [{ jobId, trigger: "on_start" as const }];
  const coverage =
    covered.kind === "covered" ? { ...covered, policy: { ...covered.policy, dagDependencies } } : covered;
  const child = report(`child-${submitAt}`, 0, { ...pending, cluster: "c", coverage, submitAt });
  const { heimdallJobId } = await store.upsertJob(child, submitAt);
  return gatesOf(await store.loadGraph()).get(heimdallJobId)?.[0]?.why;
}

const wrapped = { from: "9", to: "7" };

describe("a job that got the ID of another", () => {
  test("whose submit the controller forgot in a crash inherits nothing of it", async () => {
    const there = world();
    await there.see("reissued-1-first");
    const first = await blame(there, "9", 0);
    await forbid(there, "9");
    await there.see("reissued-2-second");
    await there.see("reissued-3-second-failed");
    await there.wait("reissued-3-second-failed");
    await expectFresh(there, "9", first);
  });

  test("that had a whole life with Advice, exclusions, spent budgets and an order inherits nothing of it", async () => {
    const there = world();
    await there.see("rollback-1-failed");
    const first = await blame(there, "7", 0);
    expect(await there.store.getAdvice(first.heimdallJobId)).toMatchObject({
      desired: "RESTARTED",
      exclusions: [{ node: "n1" }],
      because: "hardware-node",
    });
    await there.see("rollback-2-requeued");
    await there.see("rollback-5-failed-again");
    await blame(there, "7", 1);
    await forbid(there, "7");
    await there.see("reissued-2-second", wrapped);
    await there.see("reissued-3-second-failed", wrapped);
    await there.wait("reissued-3-second-failed", wrapped);
    await expectFresh(there, "7", first);
    expect(
      (await there.store.listJobsBySchedulerId("7", { offset: 0, limit: 9 })).rows.map(
        (row) => `${row.incarnation}/${row.attemptIndex}`,
      ),
    ).toEqual(["0/0", "0/1", "1/0"]);
  });

  test("is nobody's parent who was submitted before it", async () => {
    const there = world();
    await there.see("rollback-1-failed");
    const before = there.now();
    await there.see("reissued-2-second", wrapped);
    expect(await gateOf(there, "7", before)).toContain("job 7 (train) ");
    expect(await gateOf(there, "7", there.now() + s)).toContain("job 7 (evaluate) is running");
  });

  test("is not touched by Advice that SAC still has for the other", async () => {
    const there = world();
    await there.see("rollback-1-failed");
    await there.wait("rollback-1-failed");
    const first = await there.attempt("7", 0);
    const work = async () =>
      (await there.store.listWork("c", there.now())).map(
        ({ source, advice }) => `${source.heimdallJobId} ${advice.desired}`,
      );
    expect(await work()).toEqual([`${first.heimdallJobId} RESTARTED`]);
    await there.see("reissued-2-second", wrapped);
    expect(await work()).toEqual([`${first.heimdallJobId} RESTARTED`]);
    const gone = status(1, { disposition: "ABANDONED", reason: "TARGET_GONE", observedAt: there.now() });
    await there.store.observeStatus(first.heimdallJobId, gone, there.now());
    await there.decide();
    expect(await work()).toEqual([]);
  });
});

describe("a job whose requeue the controller forgot in a crash", () => {
  test("is the same job with the same attempts: the requeue that is gone has no start, and its repetition has the same record", async () => {
    const there = world();
    await there.see("rollback-1-failed");
    await there.wait("rollback-1-failed");
    const first = await there.attempt("7", 0);
    await there.see("rollback-2-requeued");
    const lost = await there.attempt("7", 1);
    expect(lost).toMatchObject({ incarnation: 0, status: "PENDING", nodeConstraints: { exclusions: ["n1"] } });
    await there.see("rollback-3-forgotten");
    expect(await there.attempt("7", 0)).toMatchObject({ heimdallJobId: first.heimdallJobId, status: "FAILED" });
    expect(await there.attempt("7", 1)).toMatchObject({ status: "DELETED" });
    await there.see("rollback-4-repeated");
    const repeated = await there.attempt("7", 1);
    expect(repeated).toMatchObject({ heimdallJobId: lost.heimdallJobId, status: "PENDING" });
    expect(repeated.nodeConstraints.exclusions).toEqual([]);
    await there.see("rollback-5-failed-again");
    expect(
      (await there.store.story("c", "7")).map(({ attempt }) => `${attempt.attemptIndex} ${attempt.status}`),
    ).toEqual(["0 FAILED", "1 FAILED"]);
  });
});
