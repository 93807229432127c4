/**
 * Goal    however the decide loop dies, each change of mind is one generation with one audit row, and nothing stays undecided.
 * Method  a store that outlives the loop. The loop runs with a fuse that blows at the nth boundary, before or after each call to the
 *         store, and is started anew; for n = 1, 2, 3 … until a run finishes with the fuse unblown. Beside it the same with a second
 *         replica that goes on all the time.
 */
import type { Log } from "@reprise/runtime/life.ts";
import { Fuse, unlessBlown } from "@reprise/runtime/testing/fuse.ts";
import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import {
  converged,
  crash,
  failed,
  noon,
  pass,
  position,
  report,
  s,
  signals,
  status,
  step,
} from "../store/testing/world.ts";
import { decideOnce } from "./decide-once.ts";

const quiet: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const jobs = ["1", "2", "3"];
const passes = 30;

/** What others tell the store before a pass of the loop; they are not the ones who die. */
type Happening = (store: Store, uuids: readonly string[], now: number) => Promise<unknown>;

const fails: Happening = async (store, uuids, now) => {
  for (const jobId of jobs) await store.upsertJob(report(jobId, 0, { ...failed, nodes: ["n1", "n2"] }), now);
  const positions = uuids.map((heimdallJobId) => position({ heimdallJobId }, 500, { ended: true, readAt: now }));
  const found = uuids.map((heimdallJobId) => crash({ heimdallJobId }));
  return await store.recordSignals({ reporter: "w1", signals: found, positions }, now);
};

const cracks: Happening = async (store, uuids, now) => {
  const positions = uuids.map((heimdallJobId) => position({ heimdallJobId }, 500, { readAt: now }));
  const found = uuids.map((heimdallJobId) => crash({ heimdallJobId }, { at: now }));
  return await store.recordSignals({ reporter: "w1", signals: found, positions }, now);
};

const isSilent: Happening = (store, uuids, now) => {
  const positions = uuids.map((heimdallJobId) => position({ heimdallJobId }, 500, { readAt: now }));
  return store.recordSignals({ reporter: "w1", signals: [], positions }, now);
};

const namesAnotherNode: Happening = (store, uuids, now) =>
  store.recordSignals(
    signals(
      ...uuids.map((heimdallJobId) => crash({ heimdallJobId }, { key: "second", nodes: ["n2"], at: noon + 61 * s })),
    ),
    now,
  );

const goesOn: Happening = (store, uuids, now) =>
  store.recordSignals(signals(...uuids.map((heimdallJobId) => step({ heimdallJobId }, 900, now))), now);

const isConverged: Happening = async (store, uuids, now) => {
  for (const uuid of uuids) await store.observeStatus(uuid, status(1, converged), now);
};

/** The second thing happens after a lost claim has run out (10 s). */
const stories: [name: string, happenings: Readonly<Record<number, Happening>>, audit: string[]][] = [
  ["a failed job", { 0: fails }, ["advice.recorded"]],
  ["a second node is named", { 0: fails, 14: namesAnotherNode }, ["advice.recorded", "advice.recorded"]],
  ["a program that goes on after all", { 0: cracks, 6: isSilent, 17: goesOn }, ["advice.recorded", "advice.withdrawn"]],
  [
    "what is done stays done",
    { 0: fails, 14: isConverged, 16: namesAnotherNode },
    ["advice.recorded", "advice.converged"],
  ],
];

/** @param others How many replicas of the loop go on, whatever happens to the one with the fuse. */
async function run(happenings: Readonly<Record<number, Happening>>, fuse: Fuse, others: number) {
  const store = createMemoryStore();
  const seen = jobs.map((jobId) => ({ jobId, attemptIndex: 0 }));
  const { heimdallJobIds: uuids } = await store.reportPass(
    pass(noon, { changed: jobs.map((jobId) => report(jobId, 0, { nodes: ["n1", "n2"] })), seen, nodes }),
    noon,
  );
  for (let i = 0; i < passes; i++) {
    const now = noon + 120 * s + i * s;
    await store.reportPass(pass(now, { seen }), now);
    await happenings[i]?.(store, uuids, now);
    const manager = (body: Store) => ({
      store: body,
      clock: { now: () => now, elapsed: () => now, sleep: () => Promise.resolve() },
      site,
    });
    const dying = decideOnce(manager(fuse.guard<Store>(store)), quiet).catch(unlessBlown);
    const going = Array.from({ length: others }, () => decideOnce(manager(store.replica()), quiet));
    await Promise.all([dying, ...going]);
  }
  return { store, uuids };
}

const nodes = ["n1", "n2", "n3", "n4"].map((name) => ({ name, state: "idle", isEligible: true, partitions: ["gpu"] }));
const site = { cluster: "default" };

test.each(stories)(
  "%s: a crash before or after any call leaves one generation each, and its audit row",
  async (...story) => {
    const [, happenings, audit] = story;
    for (const others of [0, 1]) {
      for (let n = 1; ; n++) {
        const fuse = new Fuse(n);
        const { store, uuids } = await run(happenings, fuse, others);
        const what = `crash at boundary ${n}, ${others} other replicas`;
        for (const uuid of uuids) {
          const rows = store.audit().filter((row) => row.heimdallJobId === uuid && row.type.startsWith("advice."));
          expect(
            rows.map(({ type }) => type),
            what,
          ).toEqual(audit);
        }
        const generations = audit.filter((type) => type !== "advice.converged").map((_, i) => i + 1);
        for (const jobId of jobs) {
          const [attempt] = await store.story("default", jobId);
          expect(
            attempt?.advice.map(({ generation }) => generation),
            what,
          ).toEqual(generations);
        }
        expect(await store.claimUndecided(100, 0, noon + 120 * s + (passes - 1) * s), what).toEqual([]);
        if (fuse.blown) continue;
        expect(n).toBeGreaterThan(others === 0 ? 60 : 10);
        break;
      }
    }
  },
);
