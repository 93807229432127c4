/**
 * Goal    passes never overlap, no wake-up is lost, an error does not end the loop, and the life's end does.
 * Method  a fake life; passes that count, or that wait for the test.
 */
import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { startLoop } from "./loop.ts";
import { settle } from "./testing/fake-clock.ts";
import { fakeLife } from "./testing/fake-life.ts";

test("a pass comes at once, and then one every interval", async () => {
  const life = fakeLife();
  let passes = 0;
  startLoop(life, "count", 1_000, async () => void passes++);
  await settle();
  expect(passes).toBe(1);
  await life.clock.advance(2_999);
  expect(passes).toBe(3);
});

test("a pass may say how long to wait before the next", async () => {
  const life = fakeLife();
  let passes = 0;
  startLoop(life, "count", 1_000, async () => (passes++, 10));
  await settle();
  await life.clock.advance(35);
  expect(passes).toBe(4);
});

test("a wake-up during the wait cuts it short", async () => {
  const life = fakeLife();
  let passes = 0;
  const loop = startLoop(life, "count", 1_000, async () => void passes++);
  await settle();
  loop.wake();
  await settle();
  expect(passes).toBe(2);
});

test("wake-ups during a pass cause exactly one more pass, after it", async () => {
  const life = fakeLife();
  let passes = 0;
  let finish = () => {};
  const loop = startLoop(life, "slow", 1_000, () => {
    passes++;
    return new Promise<void>((resolve) => (finish = resolve));
  });
  await settle();
  loop.wake();
  loop.wake();
  expect(passes).toBe(1);
  finish();
  await settle();
  expect(passes).toBe(2);
  finish();
  await settle();
  expect(passes).toBe(2);
});

test("an error is logged once and the next pass comes after the interval", async () => {
  const life = fakeLife();
  let passes = 0;
  startLoop(life, "broken", 1_000, async () => {
    passes++;
    throw new Error("no");
  });
  await settle();
  await life.clock.advance(999);
  expect(passes).toBe(1);
  await life.clock.advance(1);
  expect(passes).toBe(2);
  expect(life.lines.map(({ level, message }) => [level, message])).toEqual([
    ["error", "a pass failed; the next one comes"],
    ["error", "a pass failed; the next one comes"],
  ]);
});

test("the end of the life ends the wait and the loop, and a thousand passes leave one listener at most", async () => {
  const life = fakeLife();
  const loop = startLoop(life, "count", 1, async () => {});
  await settle();
  await life.clock.advance(1_000);
  expect(getEventListeners(life.signal, "abort").length).toBeLessThanOrEqual(1);
  life.end();
  await loop.ended;
  expect(getEventListeners(life.signal, "abort")).toEqual([]);
});
