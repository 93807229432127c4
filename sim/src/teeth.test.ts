/**
 * Goal    no planted bug rots: the text that it replaces is in the product, once, and no two have one name; and where each was found is
 *         remembered of bugs that are there, in worlds or in their own transcripts.
 * Method  each is planted, and nothing is run; `make sim-teeth` sees whether it is found.
 */
import { expect, test } from "vitest";
import { isWorld, remembered } from "../teeth/found.ts";
import { plantedBy } from "../teeth/plant.ts";
import { teeth } from "../teeth/teeth.ts";

test.each(teeth.map(({ name }) => name))("%s can be planted", (name) => {
  expect(plantedBy(name).size).toBeGreaterThan(0);
});

test("each planted bug has a name of its own", () => {
  expect(new Set(teeth.map(({ name }) => name)).size).toBe(teeth.length);
});

test("each place that is remembered is that of a planted bug: a world, or its own transcript", () => {
  const transcripts = new Map(teeth.map(({ name, transcript }) => [name, transcript]));
  for (const [name, [place]] of remembered()) {
    expect(transcripts.has(name), name).toBe(true);
    if (!isWorld(place)) expect(place, name).toBe(transcripts.get(name));
  }
});
