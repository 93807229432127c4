/**
 * Goal    the training is a real one: right gradients, each sample used once, the same numbers every time.
 * Method  finite differences as the slow oracle; properties of the slices.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { gradientOf, initialModel, inputs, sliceOf, taskOf, weightCount } from "./model.ts";

test("the gradient is the slope of the loss in every direction", () => {
  const model = initialModel(5, 3);
  const task = taskOf(3);
  const slice = { first: 100, end: 107 };
  const gradient = gradientOf(model, task, slice);
  const lossAt = (i: number, moved: number) => {
    const weights = model.weights.slice();
    weights[i] = (weights[i] ?? 0) + moved;
    return gradientOf({ ...model, weights }, task, slice).at(-1) ?? Number.NaN;
  };
  const step = 1e-5;
  for (let i = 0; i < weightCount(5); i++) {
    expect(gradient[i], `weight ${i}`).toBeCloseTo((lossAt(i, step) - lossAt(i, -step)) / (2 * step), 6);
  }
});

test("the ranks share a step's samples without gap or overlap, and the next step goes on where it ended", () => {
  const counts = fc.record({
    step: fc.integer({ min: 1, max: 1000 }),
    worldSize: fc.integer({ min: 1, max: 16 }),
    globalBatch: fc.integer({ min: 1, max: 5000 }),
  });
  fc.assert(
    fc.property(counts, ({ step, worldSize, globalBatch }) => {
      const slices = Array.from({ length: worldSize }, (_, rank) => sliceOf(step, rank, worldSize, globalBatch));
      for (let rank = 1; rank < worldSize; rank++) expect(slices[rank]?.first).toBe(slices[rank - 1]?.end);
      expect((slices.at(-1)?.end ?? 0) - (slices[0]?.first ?? 0)).toBe(globalBatch);
      expect(sliceOf(step + 1, 0, worldSize, globalBatch).first).toBe(slices.at(-1)?.end);
    }),
  );
});

test("a sample is the same whenever it is asked for, and another seed has others", () => {
  const read = (seed: number, n: number) => {
    const x = new Float64Array(inputs);
    return [taskOf(seed).sample(n, x), ...x];
  };
  expect(read(7, 12345)).toEqual(read(7, 12345));
  expect(read(7, 12345)).not.toEqual(read(8, 12345));
  expect(read(7, 12345)).not.toEqual(read(7, 12346));
});
