/**
 * attempt-course: what has come of one attempt that nobody was told yet: points of its curve, checkpoints, lines around its roots.
 *
 * In the loop   beside it: the signals of a report → **attempt course** → `ReportCourses`
 * Takes         signals as they are told, with the positions that they came with.
 * Gives         a report that may be sent again until it is taken; what was taken is forgotten.
 * Bound         a point in `pointEveryMs`, later in a `pointsOfLife`th of the attempt's time; what waits, as a Course has it.
 */
import { type Course, extended, type LogContext, noCourse, type StepPoint } from "@reprise/core/course/course.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { CourseReport } from "@reprise/protocol/wire/course.ts";
import type { LogPosition, ReportedSignal } from "../server.ts";
import { type LogSource, NotNow } from "../source/source.ts";
import { readContext, type WantedContext } from "./log-context.ts";

const pointEveryMs = 2_000;
const pointsOfLife = 256;
/** New points are told once they are so much of what was told: a curve of hours is not told every few seconds. */
const newsShare = 1 / 16;
/** What follows from a failure is written within this. */
const contextAfterMs = 5_000;
/** A restart may empty the log before that: what stands there by now is kept. */
const contextEarlyMs = 1_000;
const triesMax = 5;
const rates = { "throughput-lost": "lost", "throughput-regained": "regained" } as const;

/** What one report of the attempt says. */
export interface Said {
  readonly signals: readonly ReportedSignal[];
  readonly positions: readonly LogPosition[];
  /** The last one that was read by then: of steps that were read at once only one is told. */
  readonly lastStep: number | undefined;
  /** There is more to be read: what has been written at what time is not known. */
  readonly isBehind: boolean;
  readonly baselineStepMs: number | undefined;
}

interface Wanted extends WantedContext {
  /** When its signal was told. */
  readonly at: Instant;
  tries: number;
  early?: LogContext;
}

export class AttemptCourse {
  private readonly heimdallJobId: string;
  private readonly startedAt: Instant;
  private untold: Course = noCourse;
  private pointAt = Number.NEGATIVE_INFINITY;
  private pointsTold = 0;
  private baselineStepMs: number | undefined;
  private wanted: readonly Wanted[] = [];
  private contextsWanted = 0;
  private hasNews = false;
  /** Nothing comes any more. */
  private isClosed = false;

  constructor(heimdallJobId: string, startedAt: Instant) {
    this.heimdallJobId = heimdallJobId;
    this.startedAt = startedAt;
  }

  heard({ signals, positions, lastStep, isBehind, baselineStepMs }: Said): void {
    for (const signal of signals) {
      if (signal.kind === "progress" && !isBehind) this.hearStep(signal, lastStep);
      this.hearMarks(signal);
      if (signal.root) this.want(signal, positions);
    }
    if (baselineStepMs === undefined || isNear(baselineStepMs, this.baselineStepMs)) return;
    this.baselineStepMs = baselineStepMs;
    this.add({ baselineStepMs });
  }

  close(): void {
    this.isClosed = true;
  }

  isDue(now: Instant): boolean {
    const { points } = this.untold;
    if (this.isClosed || this.hasNews) return true;
    if (this.wanted.some(({ at }) => now - at >= contextAfterMs)) return true;
    return points.length > this.pointsTold * newsShare;
  }

  /** Told, and nothing will come any more. */
  get isOver(): boolean {
    return this.isClosed && this.untold === noCourse && this.wanted.length === 0;
  }

  /** What stands around a root by now. It is read once more before it is told: more may follow. */
  readEarly(now: Instant, source: Pick<LogSource, "open">): void {
    for (const wanted of this.wanted) {
      if (wanted.early !== undefined || now - wanted.at < contextEarlyMs) continue;
      try {
        const context = readContext(source, wanted);
        if (context !== undefined) wanted.early = context;
      } catch {
        // It is tried again.
      }
    }
  }

  /** @returns undefined: there is nothing to tell. */
  report(now: Instant, source: Pick<LogSource, "open">): CourseReport | undefined {
    for (const wanted of this.wanted)
      if (this.isClosed || now - wanted.at >= contextAfterMs) this.readContext(wanted, source);
    return this.untold === noCourse ? undefined : { heimdallJobId: this.heimdallJobId, ...this.untold };
  }

  /** The server has it, or will never take it. */
  told({ points, checkpoints, speedChanges, contexts, baselineStepMs }: CourseReport): void {
    this.pointsTold += points.length;
    const keys = new Set(contexts.map(({ key }) => key));
    const { untold } = this;
    const left: Course = {
      points: later(untold.points, points),
      checkpoints: later(untold.checkpoints, checkpoints),
      speedChanges: later(untold.speedChanges, speedChanges),
      ...(untold.baselineStepMs === undefined || untold.baselineStepMs === baselineStepMs
        ? {}
        : { baselineStepMs: untold.baselineStepMs }),
      contexts: untold.contexts.filter(({ key }) => !keys.has(key)),
    };
    this.hasNews = left.speedChanges.length > 0 || left.contexts.length > 0;
    const isNothing = Object.values(left).every((part) => Array.isArray(part) && part.length === 0);
    this.untold = isNothing ? noCourse : left;
  }

  private hearStep({ at, step }: ReportedSignal, lastStep: number | undefined): void {
    const read = lastStep ?? step;
    if (read === undefined || at - this.pointAt < Math.max(pointEveryMs, (at - this.startedAt) / pointsOfLife)) return;
    this.pointAt = at;
    this.add({ points: [{ at, step: read }] });
  }

  private hearMarks({ kind, at, step, cause, sinceStep }: ReportedSignal): void {
    if (step === undefined) return;
    if (kind === "checkpoint-saved") this.add({ checkpoints: [{ at, step }] });
    const rate = kind === "slowdown" && cause !== undefined ? rates[cause as keyof typeof rates] : undefined;
    if (rate === undefined) return;
    this.hasNews = true;
    this.add({ speedChanges: [{ kind: rate, at, step: sinceStep ?? step }] });
  }

  private want({ key, at, evidence }: ReportedSignal, positions: readonly LogPosition[]): void {
    const { source, path, offset, line } = evidence;
    const position = positions.find((p) => p.path === path);
    if (source !== "log" || path === undefined || offset === undefined || position === undefined) return;
    if (this.contextsWanted >= limits.courseContextsMax) return;
    this.contextsWanted++;
    const { inode, start } = position;
    this.wanted = [...this.wanted, { key, at, line, path, offset, inode, start, tries: 0 }];
  }

  private readContext(wanted: Wanted, source: Pick<LogSource, "open">): void {
    let context = wanted.early;
    try {
      context = readContext(source, wanted) ?? wanted.early;
    } catch (error) {
      // A file system that does not answer is asked again; one that refuses has said what there is to know.
      if (error instanceof NotNow && ++wanted.tries < triesMax) return;
    }
    if (context !== undefined) this.add({ contexts: [context] });
    this.wanted = this.wanted.filter((one) => one !== wanted);
  }

  private add(more: Partial<Course>): void {
    this.untold = extended(this.untold, { ...noCourse, ...more });
  }
}

function later<P extends StepPoint>(untold: readonly P[], told: readonly P[]): readonly P[] {
  const until = told.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  return untold.filter(({ at }) => at > until);
}

/** A baseline that is still being learnt moves a little with every step. */
const isNear = (a: number, b: number | undefined): boolean => b !== undefined && Math.abs(a / b - 1) < 0.005;
