/**
 * courses: tells the server how attempts went, for people.
 *
 * In the loop   beside it: what watching has told → **courses** → `ReportCourses`; nothing waits for it
 * Keeps         invariant 13: a loop of its own, one call at a time. Whatever it fails in, signals and positions go on.
 * Fails         a server that is away gets it later, within the bounds of a Course. What it refuses for good is not sent again.
 * Bound         `perReportMax` attempts a call, `attemptsMax` in all: the one that was seen first gives way.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal, type RefusalCode } from "@reprise/core/refusal.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { startLoop } from "@reprise/runtime/loop.ts";
import type { Server } from "../server.ts";
import type { LogSource } from "../source/source.ts";
import { AttemptCourse } from "./attempt-course.ts";

/** The lines around a root are read before a restart may empty the log. */
const everyMs = 1_000;
/** Of these rounds, one tells the server. */
const toldEvery = 5;
/** Of the largest that there can be: less than a message may hold. */
const perReportMax = 20;
const attemptsMax = 20_000;

export class Courses {
  private readonly attempts = new Map<string, AttemptCourse>();

  /** @param startedAt Of the attempt. */
  of(heimdallJobId: string, startedAt: Instant): AttemptCourse {
    const course = new AttemptCourse(heimdallJobId, startedAt);
    this.attempts.delete(heimdallJobId);
    this.attempts.set(heimdallJobId, course);
    const [first] = this.attempts.keys();
    if (this.attempts.size > attemptsMax && first !== undefined) this.attempts.delete(first);
    return course;
  }

  readEarly({ source, life }: Pick<ReportParts, "source" | "life">): void {
    const now = life.clock.now();
    for (const course of this.attempts.values()) course.readEarly(now, source);
  }

  /** @throws what the server said when it is away. */
  async reportOnce({ watcherId, server, source, life }: ReportParts): Promise<void> {
    const now = life.clock.now();
    const due = [...this.attempts.values()].filter((course) => course.isDue(now));
    for (let from = 0; from < due.length && !life.signal.aborted; from += perReportMax) {
      const told = due.slice(from, from + perReportMax).flatMap((course) => {
        const report = course.report(now, source);
        return report === undefined ? [] : [{ course, report }];
      });
      if (told.length > 0)
        await this.send(
          { watcherId, server, life },
          told.map(({ report }) => report),
        );
      for (const { course, report } of told) course.told(report);
    }
    for (const [id, course] of this.attempts) if (course.isOver) this.attempts.delete(id);
  }

  private async send(
    { watcherId, server, life }: Omit<ReportParts, "source">,
    courses: Parameters<Server["reportCourses"]>[0]["courses"],
  ): Promise<void> {
    try {
      await server.reportCourses({ reporter: watcherId, courses });
    } catch (error) {
      if (!(error instanceof Refusal && forGood.has(error.code))) throw error;
      life.log.warn({ attempts: courses.length, error: String(error) }, "the server does not take how attempts went");
    }
  }
}

const forGood: ReadonlySet<RefusalCode> = new Set(["invalid", "unimplemented", "forbidden"]);

export interface ReportParts {
  readonly watcherId: string;
  readonly server: Pick<Server, "reportCourses">;
  readonly source: Pick<LogSource, "open">;
  readonly life: Pick<Life, "clock" | "log" | "signal">;
}

/** @returns Resolves when the life has ended and the last round is over. */
export function startCourseReporter(courses: Courses, parts: ReportParts & { readonly life: Life }): Promise<void> {
  const { life } = parts;
  let rounds = 0;
  return startLoop(life, "courses", everyMs, async () => {
    courses.readEarly(parts);
    if (++rounds % toldEvery !== 0) return;
    await courses
      .reportOnce(parts)
      .catch((error: unknown) => life.log.debug({ error: String(error) }, "how attempts went is told later"));
  }).ended;
}
