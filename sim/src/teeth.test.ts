/**
 * Goal    no planted bug rots: the text that it replaces is in the product, once, and no two have one name.
 * Method  each is planted, and nothing is run; `make sim-teeth` sees whether it is found.
 */
import { expect, test } from "vitest";
import { plantedBy } from "../teeth/plant.ts";
import { teeth } from "../teeth/teeth.ts";

test.each(teeth.map(({ name }) => name))("%s can be planted", (name) => {
  expect(plantedBy(name).size).toBeGreaterThan(0);
});

test("each planted bug has a name of its own", () => {
  expect(new Set(teeth.map(({ name }) => name)).size).toBe(teeth.length);
});
