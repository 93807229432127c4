/**
 * course: how one attempt went, for people: the curve of its steps, its checkpoints, the lines around what went wrong.
 *
 * In the loop   beside it: nothing is decided from a Course, and nothing waits for one
 * Takes         what is known, and what has come since.
 * Pure, total
 * Keeps         what is not later than what is known changes nothing: a report that comes twice is the same as one.
 * Bound         `limits.coursePointsMax` points and those beside it: what becomes too many is thinned to half, evenly over its time.
 * Source        docs/decisions/0054
 */
import { limits } from "../limits.ts";
import type { Instant } from "../nouns.ts";

/** A step that was seen; not every one is. */
export interface StepPoint {
  readonly at: Instant;
  readonly step: number;
}

/** Throughput was lost for good, or came back. `at`: when it was told; `step`: where it began. */
export interface SpeedChange extends StepPoint {
  readonly kind: "lost" | "regained";
}

/** The lines around the line of one signal, in the order in which they stand in its file. */
export interface LogContext {
  /** Of the signal. */
  readonly key: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Each list rises in time. */
export interface Course {
  readonly points: readonly StepPoint[];
  readonly checkpoints: readonly StepPoint[];
  readonly speedChanges: readonly SpeedChange[];
  /** What one step usually takes (ms). Absent: it is not known yet. */
  readonly baselineStepMs?: number;
  /** Each key once, the first that came. */
  readonly contexts: readonly LogContext[];
}

export const noCourse: Course = { points: [], checkpoints: [], speedChanges: [], contexts: [] };

/** @param more What has come since; of it only what is later counts. */
export function extended(known: Course, more: Course): Course {
  const baselineStepMs = more.baselineStepMs ?? known.baselineStepMs;
  const keys = new Set(known.contexts.map(({ key }) => key));
  const contexts = more.contexts.filter(({ key }) => !keys.has(key) && keys.add(key));
  return {
    points: thinned(appended(known.points, more.points), limits.coursePointsMax),
    checkpoints: thinned(appended(known.checkpoints, more.checkpoints), limits.courseCheckpointsMax),
    speedChanges: appended(known.speedChanges, more.speedChanges).slice(-limits.courseSpeedChangesMax),
    ...(baselineStepMs === undefined ? {} : { baselineStepMs }),
    contexts: [...known.contexts, ...contexts].slice(0, limits.courseContextsMax),
  };
}

function appended<P extends StepPoint>(known: readonly P[], more: readonly P[]): readonly P[] {
  const all = [...known];
  for (const point of more) if (point.at > (all.at(-1)?.at ?? Number.NEGATIVE_INFINITY)) all.push(point);
  return all;
}

/** The finest width of a stretch of time of which one point stays (ms); the next one is twice as wide, and holds two of them. */
const finestMs = 1_000;

/**
 * The same list where it is short enough. Else of every stretch of time the first point, and the very last: stretches lie in one another, so
 * that thinning what was thinned before keeps it even.
 */
export function thinned<P extends StepPoint>(points: readonly P[], max: number): readonly P[] {
  const last = points.at(-1);
  let kept = points;
  for (let widthMs = finestMs; kept.length > max && last !== undefined; widthMs *= 2) {
    const stretchOf = ({ at }: P) => Math.floor(at / widthMs);
    const first = kept.filter((point, i) => i === 0 || stretchOf(point) !== stretchOf(kept[i - 1]!));
    kept = first.at(-1) === last ? first : [...first, last];
  }
  return kept;
}
