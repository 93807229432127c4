/**
 * Goal    whoever asks for how many beginnings, no second has more of them than allowed, and none is put off for nothing.
 * Method  many at once, and now and then, on a clock that the test moves.
 */
import { FakeClock } from "@reprise/runtime/testing/fake-clock.ts";
import { expect, test } from "vitest";
import { createPace } from "./pace.ts";

test("of many at once, so many begin in a second, in the order in which they asked", async () => {
  const clock = new FakeClock();
  const mayBegin = createPace(clock, 100);
  const begun: { readonly name: number; readonly at: number }[] = [];
  const start = clock.elapsed();
  const all = Array.from({ length: 250 }, async (_, name) => {
    await mayBegin();
    begun.push({ name, at: clock.elapsed() - start });
  });
  for (let i = 0; i < 260; i++) await clock.advance(10);
  await Promise.all(all);
  expect(begun.map(({ name }) => name)).toEqual(Array.from({ length: 250 }, (_, name) => name));
  // The nth not before n hundredths of a second: so no second has more.
  expect(begun.filter(({ name, at }) => at < name * 10)).toEqual([]);
  expect(begun.at(-1)?.at).toBeLessThanOrEqual(2_500);
});

test("after a pause the first is not put off", async () => {
  const clock = new FakeClock();
  const mayBegin = createPace(clock, 100);
  await mayBegin();
  const start = clock.elapsed();
  await clock.advance(5_000);
  await mayBegin();
  expect(clock.elapsed() - start).toBe(5_000);
});
