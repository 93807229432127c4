/**
 * Goal    a seed is a world: the same one gives the same events, byte for byte; and concerns do not share their lots.
 * Method  two runs of some small worlds; lots that are drawn beside others.
 */
import { expect, test } from "vitest";
import { Lots } from "./chance.ts";
import { simulate } from "./simulate.ts";

test("the same seed gives the same diary, byte for byte", async () => {
  for (const seed of [1n, 14n, 2n ** 63n + 5n]) {
    const [once, again] = [await simulate(seed, "small"), await simulate(seed, "small")];
    expect(again.world.diary.lines, `world ${seed}`).toEqual(once.world.diary.lines);
    expect(again.world.diary.digest(), `world ${seed}`).toBe(once.world.diary.digest());
  }
}, 30_000);

test("another seed gives another world", async () => {
  const [one, two] = [await simulate(1n, "small"), await simulate(2n, "small")];
  expect(one.world.diary.digest()).not.toBe(two.world.diary.digest());
});

test("drawing more in one concern leaves the others as they were", () => {
  const [a, b] = [new Lots(7n), new Lots(7n)];
  a.of("jobs").number();
  for (let i = 0; i < 100; i++) a.number();
  expect(a.of("network").number()).toBe(b.of("network").number());
});

test("all 64 bits of the seed count", () => {
  expect(new Lots(1n).number()).not.toBe(new Lots(1n + 2n ** 40n).number());
});
