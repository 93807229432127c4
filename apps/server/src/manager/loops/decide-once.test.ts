/**
 * Goal    one attempt that cannot be read, decided about or stored stops no other; a database that is away is asked once.
 * Method  the memory store, whose calls fail as a test says; what is logged is counted.
 */
import type { Log } from "@reprise/runtime/life.ts";
import { expect, test } from "vitest";
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { JobReport, Store } from "../store.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { cluster, failed, hour, noon, pass, report, s, undecided } from "../store/testing/world.ts";
import { decideOnce } from "./decide-once.ts";

const jobIds = ["1", "2", "3", "4", "5"];

/** Five jobs that have failed, and a loop over a store some of whose calls are replaced. */
async function world() {
  const store = createMemoryStore();
  const changed = jobIds.map((jobId) => report(jobId, 0, failed));
  await store.reportPass(pass(noon - hour, { changed }), noon - hour);
  await store.reportPass(pass(noon, { changed }), noon);
  const errors: object[] = [];
  const none = () => undefined;
  const log: Log = { debug: none, info: none, warn: none, error: (fields) => void errors.push(fields) };
  const clock = { now: () => noon, elapsed: () => noon, sleep: () => Promise.resolve() };
  const decide = async (change: Partial<Store> = {}) => {
    errors.length = 0;
    await decideOnce({ store: { ...store, ...change }, clock, site: { cluster } }, log);
    const { rows } = await store.listAdvice({ onlyActive: true }, { limit: 10 }, noon);
    return { advised: rows.map(({ jobId }) => jobId).sort(), errors: errors.length };
  };
  const third = (await store.getJobByAttempt(cluster, "3", 0))?.heimdallJobId ?? "";
  return { store, decide, third };
}

/** A job that waits for another one, which nobody has seen. */
function waits(jobId: string): JobReport {
  const job = report(jobId, 0, { status: "PENDING", jmState: "PENDING" });
  if (job.coverage.kind !== "covered") throw new Error("report: expected a covered job");
  const dagDependencies = [{ jobId: "unseen", trigger: "on_success" as const }];
  return { ...job, coverage: { ...job.coverage, policy: { ...job.coverage.policy, dagDependencies } } };
}

test("all are decided in one transaction", async () => {
  const { store, decide } = await world();
  let calls = 0;
  const counted = (batch: Parameters<Store["recordDecisions"]>[0], now: number) => {
    calls++;
    return store.recordDecisions(batch, now);
  };
  expect(await decide({ recordDecisions: counted })).toEqual({ advised: jobIds, errors: 0 });
  expect(calls).toBe(1);
});

const broken = new Error("one row of them cannot be read");
const without3 = ["1", "2", "4", "5"];

test("an attempt whose decision cannot be stored stops no other, and is decided about again", async () => {
  const { store, decide, third } = await world();
  const recordDecisions: Store["recordDecisions"] = async (batch, now) => {
    if (batch.some(({ heimdallJobId }) => heimdallJobId === third)) throw broken;
    return await store.recordDecisions(batch, now);
  };
  expect(await decide({ recordDecisions })).toEqual({ advised: without3, errors: 1 });
  expect(await undecided(store, noon + 9 * s)).toEqual([]);
  expect(await undecided(store, noon + 10 * s)).toEqual(["3-0"]);
});

test("an attempt whose facts cannot be read stops no other", async () => {
  const { store, decide, third } = await world();
  const loadFacts: Store["loadFacts"] = async (uuids, now) => {
    if (uuids.includes(third)) throw broken;
    return await store.loadFacts(uuids, now);
  };
  expect(await decide({ loadFacts })).toEqual({ advised: without3, errors: 1 });
});

test("an attempt that cannot be decided about stops no other", async () => {
  const { store, decide, third } = await world();
  const loadFacts: Store["loadFacts"] = async (uuids, now) => {
    const facts = await store.loadFacts(uuids, now);
    return facts.map((one) => (one.attempt.heimdallJobId === third ? { ...one, signals: null as never } : one));
  };
  expect(await decide({ loadFacts })).toEqual({ advised: without3, errors: 1 });
});

test("a database that is away is asked once, and not about each of them", async () => {
  const { decide } = await world();
  let calls = 0;
  const recordDecisions = () => {
    calls++;
    return Promise.reject(new Refusal("unavailable", "the database does not answer"));
  };
  expect(await decide({ recordDecisions })).toEqual({ advised: [], errors: 1 });
  expect(calls).toBe(1);
});

test("the graph is read once for all who wait for others, also when they are more than a batch", async () => {
  const store = createMemoryStore();
  const changed = Array.from({ length: 2 * limits.decideBatchMax + 1 }, (_, i) => waits(`${i}`));
  await store.reportPass(pass(noon, { changed }), noon);
  let calls = 0;
  const loadGraph = () => {
    calls++;
    return store.loadGraph();
  };
  const clock = { now: () => noon, elapsed: () => noon, sleep: () => Promise.resolve() };
  const quiet = () => undefined;
  const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  expect(await decideOnce({ store: { ...store, loadGraph }, clock, site: { cluster } }, log)).toBe(false);
  expect(await undecided(store, noon + hour)).toEqual([]);
  expect(calls).toBe(1);
});

test("who waits for others is decided about later where the graph cannot be read, and nobody else", async () => {
  const { store, decide } = await world();
  await store.upsertJob(waits("6"), noon);
  expect(await decide({ loadGraph: () => Promise.reject(broken) })).toEqual({ advised: jobIds, errors: 1 });
  expect(await undecided(store, noon + 10 * s)).toEqual(["6-0"]);
});
