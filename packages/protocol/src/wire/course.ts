/**
 * course: how an attempt went, on the wire.
 *
 * In the loop   beside it: watcher → **CourseReport** → server; server → **AttemptCourse** → people
 * Pure          `…ToWire` is total; `…FromWire` refuses with its field named.
 * Bound         as `limits.course…Max` and `limits.context…Max` have it; a line is cut, a list that is too long is refused.
 */
import { create } from "@bufbuild/protobuf";
import type { Course, LogContext, SpeedChange, StepPoint } from "@reprise/core/course/course.ts";
import { limits } from "@reprise/core/limits.ts";
import {
  type CourseReport as WireCourse,
  CourseReportSchema,
  type LogContext as WireContext,
  type SpeedChange as WireChange,
  type StepPoint as WirePoint,
} from "../gen/reprise/v1/course_pb.ts";
import { freeText, invalid, oneOf, present, uuid, wholeNumber } from "./check.ts";
import { cut } from "./evidence.ts";
import { instantFromWire, instantToWire } from "./instant.ts";
import { keyOf } from "./signal.ts";

/** What has come of one attempt since the last report. */
export interface CourseReport extends Course {
  readonly heimdallJobId: string;
}

export function courseToWire(report: CourseReport): WireCourse {
  const { heimdallJobId, points, checkpoints, speedChanges, baselineStepMs, contexts } = report;
  return create(CourseReportSchema, {
    heimdallJobId,
    points: points.map(pointToWire),
    checkpoints: checkpoints.map(pointToWire),
    speedChanges: speedChanges.map((change) => ({ ...pointToWire(change), kind: change.kind })),
    ...present({ baselineStepMs }),
    contexts: contexts.map(contextToWire),
  });
}

/** @param field Where it stands, e.g. `courses[3]`. */
export function courseFromWire(field: string, wire: WireCourse): CourseReport {
  const { baselineStepMs } = wire;
  if (baselineStepMs !== undefined && !(baselineStepMs > 0 && Number.isFinite(baselineStepMs)))
    throw invalid(`${field}.baselineStepMs`, `${baselineStepMs}; expected a time above 0 (ms)`);
  return {
    heimdallJobId: uuid(`${field}.heimdallJobId`, wire.heimdallJobId),
    points: each(`${field}.points`, wire.points, limits.coursePointsMax, pointFromWire),
    checkpoints: each(`${field}.checkpoints`, wire.checkpoints, limits.courseCheckpointsMax, pointFromWire),
    speedChanges: each(`${field}.speedChanges`, wire.speedChanges, limits.courseSpeedChangesMax, changeFromWire),
    ...present({ baselineStepMs }),
    contexts: each(`${field}.contexts`, wire.contexts, limits.courseContextsMax, contextFromWire),
  };
}

export const pointToWire = ({ at, step }: StepPoint) => ({ at: instantToWire(at), step: BigInt(step) });

export const contextToWire = ({ key, before, after }: LogContext) => ({
  key,
  before: [...before],
  after: [...after],
});

function pointFromWire(field: string, { at, step }: Pick<WirePoint, "at" | "step">): StepPoint {
  return { at: instantFromWire(`${field}.at`, at), step: wholeNumber(`${field}.step`, step) };
}

function changeFromWire(field: string, change: WireChange): SpeedChange {
  return { kind: oneOf(`${field}.kind`, change.kind, ["lost", "regained"]), ...pointFromWire(field, change) };
}

function contextFromWire(field: string, { key, before, after }: WireContext): LogContext {
  return {
    key: keyOf(`${field}.key`, key),
    before: each(`${field}.before`, before, limits.contextBeforeMax, lineFromWire),
    after: each(`${field}.after`, after, limits.contextAfterMax, lineFromWire),
  };
}

const lineFromWire = (_field: string, line: string): string => cut(freeText(line), limits.contextLineBytesMax);

function each<From, To>(
  field: string,
  list: readonly From[],
  max: number,
  read: (field: string, one: From) => To,
): readonly To[] {
  if (list.length > max) throw invalid(field, `has ${list.length} entries; expected at most ${max}`);
  return list.map((one, i) => read(`${field}[${i}]`, one));
}
