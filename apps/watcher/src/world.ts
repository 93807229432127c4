/**
 * world: a server, a clock and logs in memory, around a real watcher. For tests.
 *
 * Keeps   as the real server does: a signal known by attempt and key is not recorded again; signals and positions are
 *         stored together; a target that is not renewed in `leaseMs` is anybody's.
 */
import { fileURLToPath } from "node:url";
import { type Course, extended, noCourse } from "@reprise/core/course/course.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Log } from "@reprise/runtime/life.ts";
import { Courses } from "./course/courses.ts";
import { createMatcher } from "./match/matcher.ts";
import { loadSignatures } from "./match/pack-files.ts";
import type { CoursesReport, LogPosition, ReportedSignal, Server, SignalReport, Target } from "./server.ts";
import { createMemorySource, type MemorySource } from "./source/memory/memory-source.ts";
import type { LogSource } from "./source/source.ts";
import { claimEveryMs, createWatcher, tailEveryMs, type Watcher, type WatcherStanding } from "./watch-once.ts";

const matcher = createMatcher(loadSignatures([fileURLToPath(new URL("../../../signatures", import.meta.url))]));
const leaseMs = 5_000;

/** What stands between the watcher and one of its ports; for crash tests. */
export type Guard = <Port extends object>(port: Port) => Port;

/** A call that fails before or after the server has taken it in, or does not. */
export type Fault = "before" | "after" | "none";

export class World {
  now: Instant = 1_000_000;
  /** Of the watcher's host. */
  clockAheadMs = 0;
  readonly log: MemorySource = createMemorySource({ now: () => this.now });
  readonly signals: ReportedSignal[] = [];
  readonly reports: SignalReport[] = [];
  readonly courseReports: CoursesReport[] = [];
  readonly released: string[] = [];
  /** Signals that came a second time under a known key. */
  repeated = 0;
  /** How often a file was opened. */
  opened = 0;
  /** Of the watcher's own log. */
  readonly warnings: object[] = [];
  readonly faults: Fault[] = [];
  private readonly targets = new Map<string, Target>();
  private readonly positions = new Map<string, LogPosition>();
  private readonly guard: Guard;
  private courses = new Courses();
  private watcher: Watcher | undefined;
  private claimedAt = Number.NEGATIVE_INFINITY;

  constructor(guard: Guard = (port) => port) {
    this.guard = guard;
  }

  target(target: Partial<Target> & Pick<Target, "heimdallJobId">): void {
    const known = this.targets.get(target.heimdallJobId);
    const fresh: Target = {
      heimdallJobId: target.heimdallJobId,
      jobId: "128",
      attemptIndex: 0,
      jobName: "train",
      nodes: ["node-a", "node-b"],
      gpuCountPerNode: 8,
      slurm: { stdout: "/logs/slurm-%j.out", workDir: "/work", startTime: this.now },
      logPaths: [],
      slowdown: false,
      ended: false,
      positions: [],
      earlier: [],
      nodeLines: [],
      nodeLinesNumber: 0,
      version: "",
    };
    this.targets.set(target.heimdallJobId, { ...fresh, ...known, ...target });
  }

  /** Lets time pass, a pass each `tailEveryMs`. A rejected pass is what the loop would log. */
  async run(ms: number): Promise<void> {
    for (const until = this.now + ms; this.now < until; this.now += tailEveryMs) {
      this.watcher ??= this.startWatcher();
      if (this.now - this.claimedAt >= claimEveryMs) {
        this.claimedAt = this.now;
        await this.watcher.claimOnce().catch(() => undefined);
      }
      while ((await this.watcher.tailOnce().catch(() => tailEveryMs)) === 0);
    }
  }

  /** kill -9: what was only in memory is gone. */
  kill(): void {
    this.watcher = undefined;
    this.courses = new Courses();
    this.claimedAt = Number.NEGATIVE_INFINITY;
  }

  async stop(): Promise<void> {
    await this.watcher?.close();
    this.kill();
  }

  /** One round of telling how attempts went. Rejects where the loop would try again. */
  async tellCourses(): Promise<void> {
    const clock = { now: () => this.now, elapsed: () => this.now, sleep: () => Promise.resolve() };
    const life = { clock, log: this.logged(), signal: new AbortController().signal };
    const parts = { watcherId: "w1", server: this.server(), source: this.log, life };
    this.courses.readEarly(parts);
    await this.courses.reportOnce(parts);
  }

  /** All that was told of an attempt, put together as the server does it. */
  course(heimdallJobId: string): Course {
    const told = this.courseReports.flatMap(({ courses }) => courses);
    return told.filter((one) => one.heimdallJobId === heimdallJobId).reduce<Course>(extended, noCourse);
  }

  of(heimdallJobId: string, ...kinds: string[]): readonly ReportedSignal[] {
    return this.signals.filter(
      (s) => s.heimdallJobId === heimdallJobId && (kinds.length === 0 || kinds.includes(s.kind)),
    );
  }

  position(heimdallJobId: string, path = "/logs/slurm-128.out"): LogPosition | undefined {
    return this.positions.get(`${heimdallJobId} ${path}`);
  }

  standing(): WatcherStanding | undefined {
    return this.watcher?.standing();
  }

  private startWatcher(): Watcher {
    const clock = { now: () => this.now + this.clockAheadMs, elapsed: () => this.now, sleep: () => Promise.resolve() };
    const server = this.guard(this.server());
    const source = guardedSource(this.countingOpens(), this.guard);
    const { courses } = this;
    return createWatcher({
      watcherId: "w1",
      targetsMax: 100,
      server,
      source,
      matcher,
      courses,
      clock,
      log: this.logged(),
    });
  }

  private countingOpens(): LogSource {
    const { open, look, names } = this.log;
    return { look, names, open: (path) => (this.opened++, open(path)) };
  }

  private logged(): Log {
    const silent = () => undefined;
    return { debug: silent, info: silent, error: silent, warn: (fields) => void this.warnings.push(fields) };
  }

  private server(): Server {
    return {
      claimTargets: ({ release, known }) =>
        this.call(() => {
          for (const id of release) {
            this.released.push(id);
            if (this.positionsOf(id).every((p) => p.ended)) this.targets.delete(id);
          }
          const held = [...this.targets.values()].map((t) => this.filled(t));
          const isKnown = ({ heimdallJobId, version }: Target) => known.get(heimdallJobId) === version;
          const unchanged = held.filter(isKnown).map(({ heimdallJobId }) => heimdallJobId);
          return { targets: held.filter((target) => !isKnown(target)), unchanged, leaseMs };
        }),
      reportSignals: (report) => this.call(() => this.record(report)),
      reportCourses: (report) => this.call(() => void this.courseReports.push(report)),
      // Which nodes are read does not matter to an attempt: its target brings their lines.
      claimNodeLogs: () => Promise.resolve({ nodeLogs: [], leaseMs }),
      reportNodeLines: () => Promise.resolve(),
    };
  }

  private async call<T>(act: () => T): Promise<T> {
    const fault = this.faults.shift();
    if (fault === "before") throw new Error("the server is away");
    const answer = act();
    if (fault === "after") throw new Error("the answer was lost");
    return answer;
  }

  private record(report: SignalReport): void {
    this.reports.push(report);
    for (const signal of report.signals) {
      const isKnown = this.signals.some((s) => s.heimdallJobId === signal.heimdallJobId && s.key === signal.key);
      if (isKnown) this.repeated++;
      else this.signals.push(signal);
    }
    for (const position of report.positions) this.positions.set(`${position.heimdallJobId} ${position.path}`, position);
  }

  private filled(target: Target): Target {
    const earlier = [...this.positions.values()].filter((p) => p.heimdallJobId !== target.heimdallJobId);
    const version = JSON.stringify([target, earlier.filter(({ ended }) => ended)]);
    return { ...target, positions: this.positionsOf(target.heimdallJobId), earlier, version };
  }

  private positionsOf(id: string): readonly LogPosition[] {
    return [...this.positions.values()].filter((p) => p.heimdallJobId === id);
  }
}

/** With the files that it opens. */
function guardedSource({ open, look, names }: LogSource, guard: Guard): LogSource {
  const source = guard({ open, look, names });
  return {
    ...source,
    open(path) {
      const opened = source.open(path);
      return opened.kind === "open" ? { kind: "open", log: guard(opened.log) } : opened;
    },
  };
}

export const stepLine = (step: number) =>
  ` iteration ${String(step).padStart(8)}/  100000 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.1E+00 |\n`;
export const eccLine = "[rank11]: RuntimeError: CUDA error: uncorrectable ECC error encountered\n";
