/** Goal: no file is looked at less often than once a second, and one that grows at every pass. Method: a clock by hand. */
import { expect, test } from "vitest";
import { Heat } from "./heat.ts";

const passMs = 225;

/** Longest time between two looks of passes up to `untilMs`, when the file grew at the first look alone. */
function longestGap(fromMs: number, untilMs: number): number {
  const heat = new Heat();
  let [last, longest] = [0, 0];
  for (let now = 0; now <= untilMs; now += passMs) {
    if (!heat.isDue(now)) continue;
    if (now >= fromMs) longest = Math.max(longest, now - last);
    heat.looked(now, now === 0);
    last = now;
  }
  return longest;
}

test("a file that has grown within a minute is looked at in every pass", () => {
  expect(longestGap(passMs, 59_000)).toBe(passMs);
});

test("a silent file is looked at less often, but at least once a second", () => {
  const gap = longestGap(61_000, 120_000);
  expect([gap > passMs, gap <= 1_000]).toEqual([true, true]);
});
