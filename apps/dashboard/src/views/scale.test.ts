/**
 * Goal    the edge of a drawing names few, round values, all of them in it.
 * Method  properties, and a few that one can read.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { roundTicks, scaleOf, timeTicks } from "./scale.ts";

test("ticks are round", () => {
  expect(roundTicks({ from: 0, to: 12_447 }, 4)).toEqual([0, 5_000, 10_000]);
  expect(roundTicks({ from: 0.2, to: 1.1 }, 4)).toEqual([0.5, 1]);
  expect(roundTicks({ from: 7, to: 7 }, 4)).toEqual([7]);
  const noon = Date.UTC(2026, 0, 1, 12);
  expect(timeTicks({ from: noon + 1, to: noon + 3 * 3_600_000 }, 4, 0)).toEqual(
    [1, 2, 3].map((h) => noon + h * 3_600_000),
  );
});

test("a day begins at midnight where the reader is", () => {
  const from = Date.UTC(2026, 0, 1, 12);
  const [first] = timeTicks({ from, to: from + 5 * 86_400_000 }, 5, -3_600_000);
  expect(new Date(first ?? 0).toISOString()).toBe("2026-01-01T23:00:00.000Z");
});

test("there are few of them, and all are in the range", () => {
  const range = fc.record({ from: fc.integer({ min: -1e6, max: 1e12 }), length: fc.integer({ min: 1, max: 1e11 }) });
  fc.assert(
    fc.property(range, fc.integer({ min: 1, max: 9 }), ({ from, length }, max) => {
      const to = from + length;
      for (const ticks of [roundTicks({ from, to }, max), timeTicks({ from, to }, max, 0)]) {
        expect(ticks.length).toBeLessThanOrEqual(max + 1);
        for (const tick of ticks) expect(tick >= from - 1e-6 * length && tick <= to + 1e-6 * length).toBe(true);
      }
    }),
  );
});

test("a value stands where it belongs, and a range without length breaks nothing", () => {
  const scale = scaleOf({ from: 10, to: 20 }, { from: 100, to: 0 });
  expect([scale(10), scale(15), scale(20)]).toEqual([100, 50, 0]);
  expect(scaleOf({ from: 5, to: 5 }, { from: 0, to: 10 })(5)).toBe(0);
});
