/**
 * Goal    a bug can still be planted when the code around it has changed.
 * Method  each by itself: the text that it replaces stands in its file, once.
 */
import { expect, test } from "vitest";
import { plantedBy } from "./plant.ts";
import { teeth } from "./teeth.ts";

test.each(teeth.map(({ name, edits }) => ({ name, edits })))("$name has its place", ({ name, edits }) => {
  expect(plantedBy(name).size).toBe(new Set(edits.map(({ file }) => file)).size);
});
