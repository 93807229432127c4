/**
 * Goal    many open pages cost the database no more than one; and a count that failed is not told again.
 * Method  the route on the store in memory, whose counting is counted.
 */
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { nowRoutes } from "./now.ts";

function counting() {
  const { clock, signal } = fakeLife();
  const store = createMemoryStore();
  const asked: string[] = [];
  let isAway = false;
  const watched = {
    ...store,
    async countJobs(cluster: string, endedFrom: number, now: number) {
      asked.push(cluster);
      if (isAway) throw new Error("away");
      return await store.countJobs(cluster, endedFrom, now);
    },
  };
  const { now } = nowRoutes({ store: watched, clock, site: { cluster: "default" } });
  const ask = (cluster = "") => now({ $typeName: "reprise.v1.NowRequest", cluster }, { name: "lea", signal });
  return { clock, asked, ask, setAway: (away: boolean) => (isAway = away) };
}

test("who asks within two seconds is told what was counted for the one before", async () => {
  const { clock, asked, ask } = counting();
  await Promise.all([ask(), ask(), ask("default")]);
  await clock.advance(1_999);
  await ask();
  expect(asked).toEqual(["default"]);
  await clock.advance(1);
  await ask();
  expect(asked).toEqual(["default", "default"]);
});

test("other clusters are counted each time: nobody can fill the memory with names", async () => {
  const { asked, ask } = counting();
  await ask("a");
  await ask("a");
  expect(asked).toEqual(["a", "a"]);
});

test("a count that failed is tried again by the next one", async () => {
  const { ask, setAway } = counting();
  setAway(true);
  await expect(ask()).rejects.toThrow("away");
  setAway(false);
  await expect(ask()).resolves.toMatchObject({ jobs: { running: 0 } });
});
