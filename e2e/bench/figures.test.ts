/**
 * Goal    a figure is counted from the right moment, and one that a fault does not have is left out.
 * Method  one story as Explain tells it, with round times.
 */
import { expect, test } from "vitest";
import { figuresOf, type Recovery, extentOf } from "./figures.ts";

const t0 = Date.parse("2030-01-31T14:00:00Z");
const at = (seconds: number) => new Date(t0 + seconds * 1000).toISOString();
const stuck: Recovery = {
  kind: "stuck",
  faultAt: t0,
  story: {
    seconds: { rootAt: at(0.5), detect: 0.1, decide: 5.5, act: 6.5, running: 10, converged: 16 },
    advice: [{ createdAt: at(6) }],
    steps: [
      { action: "mark", endedAt: at(6.5), outcome: "done" },
      { action: "requeue-hold", endedAt: at(7), outcome: "done" },
    ],
  },
  pendingAt: t0 + 8000,
  runningAt: t0 + 11_500,
};

test("a stuck job counts from the end of its grace, and the rest from the fatal line", () => {
  expect(figuresOf(stuck)).toEqual({
    detect: 0.6,
    decide: 6,
    act: 7,
    running: 10.5,
    converged: 16.5,
    "decidable → Advice": 0.5,
    "Advice → hold": 1,
    "decidable → hold": 1.5,
    "hold → PENDING": 1,
    "PENDING → RUNNING": 3.5,
  });
});

test("a step after the fatal line moves the grace", () => {
  const later = { ...stuck, story: { ...stuck.story, progress: { lastStepAt: at(1) } } };
  expect(figuresOf(later)["decidable → hold"]).toBe(1);
});

test("a job that exits can be decided about at once, and no line was detected", () => {
  const figures = figuresOf({ ...stuck, kind: "exit" });
  expect(figures["decidable → hold"]).toBe(7);
  expect(figures).not.toHaveProperty("detect");
});

test("an extent of none is none", () => {
  expect(extentOf([])).toBeUndefined();
  expect(extentOf([3])).toEqual({ count: 1, min: 3, median: 3, max: 3 });
  expect(extentOf([4, 1, 3, 2])).toEqual({ count: 4, min: 1, median: 2, max: 4 });
});
