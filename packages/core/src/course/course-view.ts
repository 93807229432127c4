/**
 * course-view: the curve of one attempt as a person looks at it: how long its steps took, and when it was silent or slow.
 *
 * In the loop   Course, Signals, Progress → **course view** → the answer of `Course`
 * Pure, total
 * Keeps         a silence begins with the last step before it was told, and ends with the next one that was seen, or with the attempt.
 */
import type { Instant, Progress, Signal } from "../nouns.ts";
import type { Course, SpeedChange, StepPoint } from "./course.ts";

export interface CoursePoint extends StepPoint {
  /** Of one step since the point before (ms). Absent where steps did not grow. */
  readonly stepMs?: number;
}

export interface CourseWindow {
  /** `hang`: no step came. `slowdown`: throughput was lost. */
  readonly kind: "hang" | "slowdown";
  readonly from: Instant;
  /** Absent: it lasts. */
  readonly to?: Instant;
  /** What the detector measured. */
  readonly says: string;
}

export interface CourseView {
  readonly points: readonly CoursePoint[];
  readonly checkpoints: readonly StepPoint[];
  readonly baselineStepMs?: number;
  /** By their beginning. */
  readonly windows: readonly CourseWindow[];
}

/** What else is known of the attempt. */
export interface CourseOf {
  readonly signals: readonly Signal[];
  readonly progress: Progress;
  readonly startedAt?: Instant;
  readonly endedAt?: Instant;
}

export function courseView(
  { points: known, checkpoints, speedChanges, baselineStepMs }: Course,
  of: CourseOf,
): CourseView {
  const points = withLast(known, of.progress);
  const windows = [...silences(points, of), ...slowdowns(points, speedChanges, of)];
  return {
    points: points.map((point, i) => pointAfter(points[i - 1], point)),
    checkpoints,
    ...(baselineStepMs === undefined ? {} : { baselineStepMs }),
    windows: windows.toSorted((a, b) => a.from - b.from),
  };
}

/** The curve is told now and then; the last step at once. */
function withLast(points: readonly StepPoint[], { lastStep, lastStepAt }: Progress): readonly StepPoint[] {
  if (lastStep === undefined || lastStepAt === undefined) return points;
  return lastStepAt > (points.at(-1)?.at ?? Number.NEGATIVE_INFINITY)
    ? [...points, { at: lastStepAt, step: lastStep }]
    : points;
}

function pointAfter(before: StepPoint | undefined, { at, step }: StepPoint): CoursePoint {
  const steps = before === undefined ? 0 : step - before.step;
  return steps > 0 ? { at, step, stepMs: (at - before!.at) / steps } : { at, step };
}

function silences(points: readonly StepPoint[], { signals, startedAt, endedAt }: CourseOf): readonly CourseWindow[] {
  const told = signals.filter(({ kind }) => kind === "hang").toSorted((a, b) => a.at - b.at);
  const windows: CourseWindow[] = [];
  for (const { at, detail = "" } of told) {
    if (windows.some(({ from, to }) => at >= from && (to === undefined || at <= to))) continue;
    const from = points.findLast((point) => point.at <= at)?.at ?? Math.min(startedAt ?? at, at);
    windows.push(windowOf("hang", from, points.find((point) => point.at > at)?.at ?? endedAt, detail));
  }
  return windows;
}

function slowdowns(
  points: readonly StepPoint[],
  changes: readonly SpeedChange[],
  { signals, endedAt }: CourseOf,
): readonly CourseWindow[] {
  const windows: CourseWindow[] = [];
  for (const [i, { kind, at, step }] of changes.entries()) {
    if (kind !== "lost") continue;
    const from = points.find((point) => point.step >= step && point.at <= at)?.at ?? at;
    const to = changes.slice(i + 1).find((next) => next.kind === "regained")?.at ?? endedAt;
    const said = signals.find((signal) => signal.kind === "slowdown" && signal.at === at);
    windows.push(windowOf("slowdown", from, to, said?.detail ?? ""));
  }
  return windows;
}

const windowOf = (kind: CourseWindow["kind"], from: Instant, to: Instant | undefined, says: string): CourseWindow => ({
  kind,
  from,
  ...(to === undefined ? {} : { to: Math.max(from, to) }),
  says,
});
