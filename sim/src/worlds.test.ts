/**
 * Goal    the first 200 small worlds and some large ones, in every test run: nothing is wrong in any, whatever was changed.
 * Method  as `make sim`, in chunks, so that a failure names its seed and its command soon.
 * Bound   less than a minute of CPU. Other seeds, and more of them, are `make soak`'s.
 */
import { expect, test } from "vitest";
import type { Size } from "./draw-world.ts";
import { report } from "./report.ts";
import { simulate } from "./simulate.ts";

const limitMs = 120_000;

/** What went wrong, in words. */
async function wrongIn(from: number, count: number, size: Size): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (let seed = BigInt(from); seed < BigInt(from + count); seed++) {
    const result = await simulate(seed, size);
    if (result.world.violation !== undefined) wrong.push(report(seed, size, result));
  }
  return wrong;
}

for (let from = 1; from <= 200; from += 25) {
  test(`nothing is wrong in small worlds ${from} to ${from + 24}`, { timeout: limitMs }, async () => {
    expect(await wrongIn(from, 25, "small")).toEqual([]);
  });
}

for (let from = 1; from <= 12; from += 4) {
  test(`nothing is wrong in worlds ${from} to ${from + 3}`, { timeout: limitMs }, async () => {
    expect(await wrongIn(from, 4, "default")).toEqual([]);
  });
}
