/**
 * course: how attempts went, for people: `ReportCourses` of `reprise.v1.SignalService`, `Course` of `reprise.v1.RecoveryService`.
 *
 *     POST /reprise/v1/courses                 watcher
 *     GET  /reprise/v1/jobs/{job_id}/course    viewer, operator, controller
 *
 * Keeps   invariant 13: a report writes one table that nothing is decided from, and locks nothing else.
 * Fails   `invalid` names the field; `not-found` for a job that nobody saw, or an attempt that it does not have. Safe to repeat.
 * Bound   `limits.coursesPerReportMax` attempts a report.
 */
import { noCourse } from "@reprise/core/course/course.ts";
import { courseView } from "@reprise/core/course/course-view.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { RecoveryService, SignalService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { attemptIndex, identifier, present } from "@reprise/protocol/wire/check.ts";
import { type CourseReport, courseFromWire, pointToWire } from "@reprise/protocol/wire/course.ts";
import { instantToWire, optionalInstantToWire } from "@reprise/protocol/wire/instant.ts";
import type { Caller, Manager } from "../context.ts";
import type { AttemptStoryRecord } from "../story-store.ts";
import { clusterOf } from "./cluster-of.ts";

export function reportCoursesRoute({
  store,
  clock,
}: Manager): Pick<RpcHandlers<typeof SignalService, Caller>, "reportCourses"> {
  return {
    async reportCourses({ reporter, courses }) {
      identifier("reporter", reporter);
      if (courses.length > limits.coursesPerReportMax)
        throw new Refusal(
          "invalid",
          `courses: ${courses.length} in one report; expected at most ${limits.coursesPerReportMax}`,
        );
      const now = clock.now();
      const reports = courses.map((course, i) => notAhead(courseFromWire(`courses[${i}]`, course), now));
      return { recorded: await store.recordCourses(reports) };
    },
  };
}

/** What has not come yet by our clock would keep out what comes until then. */
function notAhead(report: CourseReport, now: Instant): CourseReport {
  const seen = <P extends { readonly at: Instant }>(points: readonly P[]): readonly P[] =>
    points.map((point) => (point.at > now ? { ...point, at: now } : point));
  const { points, checkpoints, speedChanges } = report;
  return {
    ...report,
    points: seen(points),
    checkpoints: seen(checkpoints),
    speedChanges: seen(speedChanges),
  };
}

export function courseRoute({ store, site }: Manager): Pick<RpcHandlers<typeof RecoveryService, Caller>, "course"> {
  return {
    async course(request) {
      const jobId = identifier("jobId", request.jobId);
      const stories = await store.story(clusterOf(site, request.cluster), jobId);
      if (stories.length === 0) throw new Refusal("not-found", `job ${jobId} is not known`);
      const asked = request.attemptIndex === undefined ? undefined : attemptIndex("attemptIndex", request.attemptIndex);
      const shown = stories.filter(({ attempt }) => asked === undefined || attempt.attemptIndex === asked);
      if (shown.length === 0) throw new Refusal("not-found", `job ${jobId} has no attempt ${asked}`);
      const courses = await store.coursesOf(shown.map(({ attempt }) => attempt.heimdallJobId));
      const attempts = shown.map((story) => courseToWire(story, courses.get(story.attempt.heimdallJobId)));
      return { jobId, attempts };
    },
  };
}

function courseToWire({ attempt, signals, progress }: AttemptStoryRecord, course = noCourse) {
  const { heimdallJobId, attemptIndex: index, startedAt, endedAt } = attempt;
  const view = courseView(course, { signals, progress, ...present({ startedAt, endedAt }) });
  return {
    heimdallJobId,
    attemptIndex: index,
    points: view.points.map(({ stepMs, ...point }) => ({ ...pointToWire(point), ...present({ stepMs }) })),
    checkpoints: view.checkpoints.map(pointToWire),
    ...present({ baselineStepMs: view.baselineStepMs }),
    windows: view.windows.map(({ kind, from, to, says }) => ({
      kind,
      from: instantToWire(from),
      ...present({ to: optionalInstantToWire(to) }),
      says,
    })),
  };
}
