/**
 * Goal    a wait ends at its time or at its abort, whichever comes first, on the real clock and on the fake one.
 * Method  the fake clock is moved by hand; of the real one only what needs no waiting is asked.
 */
import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { FakeClock, settle } from "./testing/fake-clock.ts";

test("sleepers wake in the order of their times, each before the next one's time has come", async () => {
  const clock = new FakeClock(0);
  const woken: string[] = [];
  const sleeper = async (name: string, ms: number) => {
    await clock.sleep(ms);
    woken.push(`${name} at ${clock.now()}`);
  };
  void sleeper("late", 50);
  void sleeper("early", 10);
  await clock.advance(49);
  expect(woken).toEqual(["early at 10"]);
  await clock.advance(1);
  expect(woken).toEqual(["early at 10", "late at 50"]);
});

test("a sleeper that sleeps again within the same advance wakes again", async () => {
  const clock = new FakeClock(0);
  let passes = 0;
  const loop = async () => {
    while (passes < 5) {
      await clock.sleep(10);
      passes++;
    }
  };
  void loop();
  await clock.advance(35);
  expect(passes).toBe(3);
});

test.each([
  ["the fake clock", () => new FakeClock()],
  ["the system's clock", () => systemClock],
])("an abort ends the wait on %s, and leaves no listener behind", async (_name, make) => {
  const stop = new AbortController();
  const wait = make().sleep(3_600_000, stop.signal);
  await settle();
  stop.abort();
  await wait;
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});

test("a wait under an aborted signal is over at once", async () => {
  await systemClock.sleep(3_600_000, AbortSignal.abort());
  await new FakeClock().sleep(3_600_000, AbortSignal.abort());
});
