/**
 * Goal    a curve stays small however long a training takes, tells the same however often it is reported, and shows the whole time.
 * Method  properties over arbitrary reports; a table of what a person sees.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "../limits.ts";
import type { Signal } from "../nouns.ts";
import { type Course, extended, noCourse, thinned } from "./course.ts";
import { courseView } from "./course-view.ts";

const course = (more: Partial<Course>): Course => ({ ...noCourse, ...more });
const line = (from: number, count: number, everyMs = 1_000) =>
  Array.from({ length: count }, (_, i) => ({ at: (from + i) * everyMs, step: from + i }));

const reports = fc.array(
  fc.record({
    points: fc.array(fc.record({ at: fc.nat(100_000), step: fc.nat(1_000) }), { maxLength: 300 }),
    checkpoints: fc.array(fc.record({ at: fc.nat(100_000), step: fc.nat(1_000) }), { maxLength: 90 }),
    contexts: fc.array(
      fc.record({
        key: fc.constantFrom("a", "b", "c", "d", "e", "f"),
        before: fc.constant([]),
        after: fc.constant([]),
      }),
    ),
  }),
  { maxLength: 8 },
);

describe("a course", () => {
  test("is never larger than its bounds, rises in time, and a report that comes twice is the same as one", () => {
    fc.assert(
      fc.property(reports, (told) => {
        let known = noCourse;
        for (const one of told) {
          known = extended(known, course(one));
          expect(extended(known, course(one))).toEqual(known);
        }
        expect(known.points.length).toBeLessThanOrEqual(limits.coursePointsMax);
        expect(known.checkpoints.length).toBeLessThanOrEqual(limits.courseCheckpointsMax);
        expect(known.contexts.length).toBeLessThanOrEqual(limits.courseContextsMax);
        expect(new Set(known.contexts.map(({ key }) => key)).size).toBe(known.contexts.length);
        for (const [i, { at }] of known.points.entries())
          if (i > 0) expect(at).toBeGreaterThan(known.points[i - 1]!.at);
      }),
    );
  });

  test("shows all of a month evenly, from its first step to its last", () => {
    let known = noCourse;
    for (let n = 0; n < 30 * 24 * 60; n += 100) known = extended(known, course({ points: line(n, 100, 60_000) }));
    const { points } = known;
    expect([points[0]?.step, points.at(-1)?.step]).toEqual([0, 30 * 24 * 60 - 1]);
    expect(points.length).toBeGreaterThan(limits.coursePointsMax / 2);
    const gaps = points.slice(1).map(({ at }, i) => at - points[i]!.at);
    expect(Math.max(...gaps)).toBeLessThanOrEqual((30 * 24 * 3_600_000) / 200);
  });

  test("a list that is short enough is left as it is", () => {
    const points = line(1, 8);
    expect(thinned(points, 8)).toBe(points);
    expect(thinned(points, 4).map(({ step }) => step)).toEqual([1, 4, 8]);
  });
});

const told = (kind: "hang" | "slowdown", at: number, detail: string): Signal => ({
  kind,
  at,
  detail,
  evidence: { source: "log", line: "step", at },
  root: kind === "hang",
  exitIndependent: false,
  nodes: [],
});

describe("what a person sees", () => {
  test("how long a step took; nothing where training began again from an earlier one", () => {
    const points = [...line(10, 2), { at: 20_000, step: 5 }, { at: 24_000, step: 7 }];
    const view = courseView(course({ points }), { signals: [], progress: {} });
    expect(view.points.map(({ stepMs }) => stepMs)).toEqual([undefined, 1_000, undefined, 2_000]);
  });

  test("the last step that is known stands behind the curve", () => {
    const progress = { lastStep: 9, lastStepAt: 20_000 };
    expect(courseView(course({ points: line(1, 2) }), { signals: [], progress }).points.at(-1)).toEqual({
      at: 20_000,
      step: 9,
      stepMs: 18_000 / 7,
    });
  });

  test("a silence is from the last step before it was told to the next one, the end of the attempt, or lasts", () => {
    const points = [...line(1, 3), { at: 90_000, step: 4 }];
    const signals = [
      told("hang", 60_000, "silent for 57 s"),
      told("hang", 61_000, "another file"),
      told("hang", 150_000, "again"),
    ];
    const windows = (more: object) => courseView(course({ points }), { signals, progress: {}, ...more }).windows;
    const first = { kind: "hang", from: 3_000, to: 90_000, says: "silent for 57 s" };
    expect(windows({})).toEqual([first, { kind: "hang", from: 90_000, says: "again" }]);
    expect(windows({ endedAt: 200_000 })[1]).toEqual({ kind: "hang", from: 90_000, to: 200_000, says: "again" });
  });

  test("before any step it is from the start of the attempt", () => {
    const { windows } = courseView(noCourse, {
      signals: [told("hang", 60_000, "no step")],
      progress: {},
      startedAt: 5_000,
    });
    expect(windows).toEqual([{ kind: "hang", from: 5_000, says: "no step" }]);
  });

  test("a loss of throughput is from the step where it began until it came back", () => {
    const speedChanges = [
      { kind: "lost", at: 50_000, step: 20 },
      { kind: "regained", at: 80_000, step: 70 },
    ] as const;
    const of = { signals: [told("slowdown", 50_000, "12 % longer")], progress: {} };
    expect(courseView(course({ points: line(1, 90), speedChanges }), of).windows).toEqual([
      { kind: "slowdown", from: 20_000, to: 80_000, says: "12 % longer" },
    ]);
  });
});
