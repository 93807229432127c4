/** course-table: how attempts went, for people. See `postgres/course-store.ts`. */
import { type Course, extended, type LogContext, noCourse } from "@reprise/core/course/course.ts";
import type { CourseReport } from "@reprise/protocol/wire/course.ts";
import { storable } from "../postgres/storable.ts";
import type { Tables } from "./tables.ts";

export function recordCourses(t: Tables, given: readonly CourseReport[]): number {
  const taken = new Set<string>();
  for (const { heimdallJobId, ...report } of storable(given)) {
    const uuid = heimdallJobId.toLowerCase();
    if (!t.jobs.has(uuid)) continue;
    t.courses.set(uuid, extended(t.courses.get(uuid) ?? noCourse, report));
    taken.add(uuid);
  }
  return taken.size;
}

export function coursesOf(t: Tables, uuids: readonly string[]): ReadonlyMap<string, Course> {
  const found = uuids.map((uuid) => [uuid, t.courses.get(uuid)] as const);
  return new Map(found.flatMap(([uuid, course]) => (course === undefined ? [] : [[uuid, course]])));
}

export function contextsOf(t: Tables, uuids: readonly string[]): ReadonlyMap<string, readonly LogContext[]> {
  return new Map(Array.from(coursesOf(t, uuids), ([uuid, { contexts }]) => [uuid, contexts]));
}
