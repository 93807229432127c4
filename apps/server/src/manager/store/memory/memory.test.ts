/**
 * Goal    the store in memory keeps the contract of the store, can be put back to any moment, and can fail as a database does.
 * Method  the contract, with two handles on one state; small stories for what only this body has.
 */
import { describe, expect, test } from "vitest";
import { converged, crash, decided, hour, noon, report, restart, s, signals, status } from "../testing/world.ts";
import { storeContract } from "../store.contract.ts";
import { createMemoryStore } from "./memory-store.ts";
import { withFaults } from "./with-faults.ts";

const open = () => {
  const store = createMemoryStore();
  return Promise.resolve({ store, replica: store.replica() });
};
storeContract("the store in memory", open, 500);

describe("a snapshot", () => {
  test("brings everything back as it was, for all handles, as often as it is loaded", async () => {
    const store = createMemoryStore();
    const replica = store.replica();
    const job = await store.upsertJob(report("1"), noon);
    await decided(store, job, restart());
    const before = store.dump();
    const storyThen = await store.story("default", "1");
    for (let round = 0; round < 2; round++) {
      await store.recordSignals(signals(crash(job)), noon + s);
      await store.observeStatus(job.heimdallJobId, status(1, converged), noon + s);
      await store.upsertJob(report("1", 1), noon + hour);
      await store.upsertJob(report("2"), noon + hour);
      expect(store.dump()).not.toEqual(before);
      store.load(before);
      expect(store.dump()).toEqual(before);
      expect(await replica.story("default", "1")).toEqual(storyThen);
    }
    expect(await store.upsertJob(report("2"), noon + s)).toMatchObject({ createdAt: noon + s });
  });
});

describe("a database with faults", () => {
  test("that refuses has changed nothing; one that loses its answer has changed everything", async () => {
    const store = createMemoryStore();
    const down = new Error("the database is away");
    const fail = () => {
      throw down;
    };
    const refusing = withFaults(store, { before: fail, after: () => undefined });
    await expect(refusing.upsertJob(report("1"), noon)).rejects.toBe(down);
    expect(await store.getJobByAttempt("default", "1", 0)).toBeUndefined();
    const losing = withFaults(store, { before: () => undefined, after: fail });
    await expect(losing.upsertJob(report("1"), noon)).rejects.toBe(down);
    expect(await store.getJobByAttempt("default", "1", 0)).toBeDefined();
  });

  test("that is slow answers late, and what was committed meanwhile counts", async () => {
    const store = createMemoryStore();
    const job = await store.upsertJob(report("1"), noon);
    const gate = Promise.withResolvers<void>();
    const slow = withFaults(store, { before: () => gate.promise, after: () => undefined });
    const late = decided(slow, job, restart());
    await store.recordSignals(signals(crash(job)), noon);
    gate.resolve();
    expect(await late).toEqual({ kind: "recorded", generation: 1 });
    expect((await store.loadFacts([job.heimdallJobId], noon))[0]?.signals).toHaveLength(1);
  });
});

test("a number that PostgreSQL cannot keep is refused here too, and nothing is changed", async () => {
  const store = createMemoryStore();
  const job = await store.upsertJob(report("1"), noon);
  const before = store.dump();
  await expect(
    store.recordSignals(signals(crash(job), crash(job, { key: "b", at: noon + 0.5 })), noon),
  ).rejects.toThrow(`signal.at ${noon + 0.5}: expected a whole number`);
  await expect(store.upsertJob(report("2", 0, { submitAt: 0.1 }), noon)).rejects.toThrow("job.submitAt 0.1");
  expect(store.dump()).toEqual(before);
});

test("a handle that was closed refuses, and hears nothing more; the others go on", async () => {
  const store = createMemoryStore();
  const replica = store.replica();
  const heard: string[] = [];
  store.onChange(({ kind }) => heard.push(`store ${kind}`));
  replica.onChange(({ kind }) => heard.push(`replica ${kind}`));
  await store.close();
  await expect(store.upsertJob(report("1"), noon)).rejects.toThrow("the store is closed");
  await replica.upsertJob(report("1"), noon);
  expect(heard).toEqual(["replica job"]);
});
