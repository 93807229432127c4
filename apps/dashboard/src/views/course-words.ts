/** course-words: the course of an attempt in numbers and words, as the drawing and the table say it. Pure. */
import type { AttemptCourseJson, StepPointJson } from "@reprise/protocol/gen/reprise/v1/course_pb.ts";
import { counted } from "../words/counted.ts";
import { dateTime, duration, instant } from "../words/time.ts";

export interface Point {
  readonly at: number;
  readonly step: number;
  readonly stepMs?: number | undefined;
}

export interface Stretch {
  readonly kind: "hang" | "slowdown";
  readonly from: number;
  /** Absent: it lasts. */
  readonly to?: number | undefined;
  readonly says: string;
}

export interface DrawnCourse {
  readonly points: readonly Point[];
  readonly checkpoints: readonly Point[];
  readonly baselineMs?: number | undefined;
  readonly windows: readonly Stretch[];
}

export function drawnOf({ points, checkpoints, baselineStepMs, windows = [] }: AttemptCourseJson): DrawnCourse {
  return {
    points: pointsOf(points),
    checkpoints: pointsOf(checkpoints),
    baselineMs: typeof baselineStepMs === "number" ? baselineStepMs : undefined,
    windows: windows.flatMap(({ kind, from, to, says = "" }) => {
      const began = instant(from);
      if (began === undefined || (kind !== "hang" && kind !== "slowdown")) return [];
      return [{ kind, from: began, to: instant(to), says }];
    }),
  };
}

const pointsOf = (points: readonly StepPointJson[] = []): readonly Point[] =>
  points.flatMap(({ at, step, stepMs }) => {
    const when = instant(at);
    return when === undefined
      ? []
      : [{ at: when, step: Number(step ?? 0), stepMs: typeof stepMs === "number" ? stepMs : undefined }];
  });

/** Pauses (an evaluation, a restart inside the attempt) are many times as long as a step: drawn whole, they would flatten all the others. */
const shownMedians = 3;
const headroom = 1.1;

/** The longest time of a step that is drawn as it is (ms); what is longer stands at the edge. */
export function longestDrawn({ points, baselineMs = 0 }: DrawnCourse): number {
  const sorted = points.flatMap(({ stepMs }) => stepMs ?? []).toSorted((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  return Math.max(headroom * Math.min(sorted.at(-1) ?? 0, shownMedians * median), 1.5 * baselineMs, 1);
}

export const kindWords = { hang: "silent", slowdown: "slow" } as const;

/** What the drawing shows, in a sentence. */
export function summaryOf({ points, checkpoints, baselineMs, windows }: DrawnCourse): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return "No step was seen.";
  const parts = [
    `Step ${first.step} at ${dateTime(first.at)} to step ${last.step} at ${dateTime(last.at)}`,
    ...(last.stepMs === undefined ? [] : [`a step took ${duration(last.stepMs)} at the end`]),
    ...(baselineMs === undefined ? [] : [`usually ${duration(baselineMs)}`]),
    ...(checkpoints.length === 0
      ? []
      : [`${counted(checkpoints.length, "checkpoint")}, the last at step ${checkpoints.at(-1)?.step}`]),
    ...windows.map((window) => windowText(window)),
  ];
  return `${parts.join("; ")}.`;
}

export const windowText = ({ kind, from, to }: Stretch): string =>
  `${kindWords[kind]} from ${dateTime(from)} ${to === undefined ? "on" : `to ${dateTime(to)}`}`;

/** So many of them, as evenly spread as it goes, with the first and the last. */
export function sampled(points: readonly Point[], max: number): readonly Point[] {
  if (points.length <= max) return points;
  return Array.from({ length: max }, (_, i) => points[Math.round((i * (points.length - 1)) / (max - 1))]!);
}
