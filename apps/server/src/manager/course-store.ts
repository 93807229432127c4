/** course-store: how attempts went, for people. Part of the contract of the store (`store.ts`). */
import type { Course, LogContext } from "@reprise/core/course/course.ts";
import type { CourseReport } from "@reprise/protocol/wire/course.ts";

export interface CourseStore {
  /**
   * Takes in what has come since; safe to repeat. Changes no fact: nobody decides again for it.
   *
   * @returns of how many attempts; one that is not known is passed over.
   */
  recordCourses(reports: readonly CourseReport[]): Promise<number>;
  /** By UUID; without those of which nothing was told. */
  coursesOf(heimdallJobIds: readonly string[]): Promise<ReadonlyMap<string, Course>>;
  /** Of them the lines around signals alone. */
  contextsOf(heimdallJobIds: readonly string[]): Promise<ReadonlyMap<string, readonly LogContext[]>>;
}
