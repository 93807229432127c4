/** Goal: nobody gets more calls than the measure allows, in any stretch of time; and whoever keeps to it is never refused. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createRate } from "./rate.ts";

const waits = fc.array(fc.nat(5_000), { minLength: 1, maxLength: 200 });
const measure = fc.record({ perSecond: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 1, max: 50 }) });

test("in any stretch of time no more than the burst and what was filled in meanwhile", () => {
  fc.assert(
    fc.property(measure, waits, ({ perSecond, burst }, ms) => {
      let now = 0;
      const take = createRate({ perSecond, burst }, { now: () => now });
      const taken: number[] = [];
      for (const wait of ms) {
        now += wait;
        if (take("a") === 0) taken.push(now);
      }
      for (const [i, from] of taken.entries())
        for (const [j, to] of taken.entries())
          if (j >= i) expect(j - i + 1).toBeLessThanOrEqual(burst + ((to - from) * perSecond) / 1_000 + 1e-6);
    }),
  );
});

test("who waits as long as he was told is served", () => {
  fc.assert(
    fc.property(measure, waits, (rate, ms) => {
      let now = 0;
      const take = createRate(rate, { now: () => now });
      for (const wait of ms) {
        now += wait;
        const told = take("a");
        if (told === 0) continue;
        now += told;
        expect(take("a")).toBe(0);
      }
    }),
  );
});

test("one caller's haste is not another's, and 0 is no limit", () => {
  const clock = { now: () => 0 };
  const take = createRate({ perSecond: 1, burst: 1 }, clock);
  expect([take("a"), take("a"), take("b")]).toEqual([0, 1_000, 0]);
  const free = createRate({ perSecond: 0, burst: 0 }, clock);
  expect(Array.from({ length: 100 }, () => free("a"))).toEqual(Array.from({ length: 100 }, () => 0));
});

test("a clock that is set back gives nothing and takes nothing", () => {
  let now = 10_000;
  const take = createRate({ perSecond: 1, burst: 1 }, { now: () => now });
  expect(take("a")).toBe(0);
  now = 0;
  expect(take("a")).toBe(1_000);
  now = 1_000;
  expect(take("a")).toBe(0);
});
