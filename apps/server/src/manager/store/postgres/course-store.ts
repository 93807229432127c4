/**
 * course-store: how attempts went, for people.
 *
 * Writes   table `course`: one row an attempt, as large as the bounds of a Course and no larger.
 * Keeps    a row is locked while it is extended, so that no report is lost; rows are locked in the order of their UUIDs.
 */
import { sql } from "kysely";
import { type Course, extended, type LogContext, noCourse } from "@reprise/core/course/course.ts";
import type { CourseReport } from "@reprise/protocol/wire/course.ts";
import { hot, isAmong } from "./prepared.ts";
import type { Db, Tx } from "./schema.ts";
import { json, storable } from "./storable.ts";

export async function recordCourses(tx: Tx, given: readonly CourseReport[]): Promise<number> {
  const reports = storable(given).map((report) => ({ ...report, heimdallJobId: report.heimdallJobId.toLowerCase() }));
  const named = [...new Set(reports.map(({ heimdallJobId }) => heimdallJobId))].sort();
  if (named.length === 0) return 0;
  await sql`${hot}
    insert into course (heimdall_job_id, curve, contexts)
    select heimdall_job_id, ${json(curveOf(noCourse))}::jsonb, '[]'::jsonb from job where ${isAmong("heimdall_job_id", named)}
    order by heimdall_job_id on conflict do nothing`.execute(tx);
  const known = await tx
    .selectFrom("course")
    .modifyFront(hot)
    .selectAll()
    .where(isAmong("heimdall_job_id", named))
    .orderBy("heimdall_job_id")
    .forUpdate()
    .execute();
  const rows = known.map(({ heimdall_job_id, curve, contexts }) => {
    const own = reports.filter((report) => report.heimdallJobId === heimdall_job_id);
    const course = own.reduce<Course>(extended, { ...curve, contexts });
    return { heimdall_job_id, curve: curveOf(course), contexts: course.contexts };
  });
  await sql`${hot}
    update course set curve = fresh.curve, contexts = fresh.contexts
    from jsonb_to_recordset(${json(rows)}::jsonb) as fresh (heimdall_job_id text, curve jsonb, contexts jsonb)
    where course.heimdall_job_id = fresh.heimdall_job_id`.execute(tx);
  return rows.length;
}

export async function coursesOf(db: Db, uuids: readonly string[]): Promise<ReadonlyMap<string, Course>> {
  if (uuids.length === 0) return new Map();
  const rows = await db.selectFrom("course").selectAll().where(isAmong("heimdall_job_id", uuids)).execute();
  return new Map(rows.map(({ heimdall_job_id, curve, contexts }) => [heimdall_job_id, { ...curve, contexts }]));
}

/** The curves, which are far larger, stay where they are. */
export async function contextsOf(
  db: Db,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, readonly LogContext[]>> {
  if (uuids.length === 0) return new Map();
  const rows = await db
    .selectFrom("course")
    .select(["heimdall_job_id", "contexts"])
    .where(isAmong("heimdall_job_id", uuids))
    .execute();
  return new Map(rows.map(({ heimdall_job_id, contexts }) => [heimdall_job_id, contexts]));
}

function curveOf({ contexts: _, ...curve }: Course): Omit<Course, "contexts"> {
  return curve;
}
