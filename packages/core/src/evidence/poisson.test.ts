/**
 * Goal    the chance of so many failures or more is exact, also where it is very small.
 * Method  values of a table, and a sum of the terms below as the oracle.
 */
import { expect, test } from "vitest";
import { poissonTail } from "./poisson.ts";

// biome-ignore format: a table
const table: [count: number, mean: number, chance: number][] = [
  [0, 3,      1],
  [1, 0.5,    1 - Math.exp(-0.5)],
  [2, 0,      0],
  [5, 0.2,    2.2582e-6],
  [10, 1,     1.1143e-7],
  [3, 1000,   1],
];

test.each(table)("%d or more where %d are expected", (count, mean, chance) => {
  expect(poissonTail(count, mean)).toBeCloseTo(chance, 10);
  if (chance > 0) expect(poissonTail(count, mean) / chance).toBeCloseTo(1, 3);
});

test("it is what the terms below leave", () => {
  for (const mean of [0.1, 1, 7, 40]) {
    let [term, below] = [Math.exp(-mean), 0];
    for (let count = 0; count < 60; count++) {
      expect(poissonTail(count, mean)).toBeCloseTo(1 - below, 9);
      below += term;
      term *= mean / (count + 1);
    }
  }
});
