/**
 * watch-once: the watcher's two passes: which attempts to read, and reading them.
 *
 * In the loop   claim Targets; **tail → Signals and positions → server**
 * Writes        nothing but reports. A watcher never acts.
 * Keeps         a position counts only when the server has it. While a report is not acknowledged nothing further is read
 *               and the same report is sent again: nothing is lost, nothing is said twice under another key. After a lapsed
 *               lease everything begins anew from the server's positions.
 * Fails         a pass rejects when the server is away; the loop logs it and comes back.
 * Bound         `limits.signalsPerReportMax` signals and `positionsPerReportMax` positions a report.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Log } from "@reprise/runtime/life.ts";
import { lookAt, type Moment } from "./attempt-clock.ts";
import type { Courses } from "./course/courses.ts";
import type { Matcher } from "./match/matcher.ts";
import { NodeLogs } from "./nodes/node-logs.ts";
import type { NodeParts } from "./nodes/node-watch.ts";
import type { Server, SignalReport, Target } from "./server.ts";
import type { LogSource } from "./source/source.ts";
import { createChunk } from "./lines.ts";
import { type TargetReport, TargetWatch } from "./target-watch.ts";

export const claimEveryMs = 1_000;
export const tailEveryMs = 225;
const positionsPerReportMax = 500;

export interface Deps {
  readonly watcherId: string;
  readonly targetsMax: number;
  readonly server: Server;
  readonly source: LogSource;
  readonly matcher: Matcher;
  /** How long a loss of throughput must have lasted to be told (ms). */
  readonly slowdownLastsMs?: number | undefined;
  /** Where nodes' own logs lie. Absent: they are not read here. */
  readonly nodeLogs?: (Pick<NodeParts, "patterns" | "zone"> & { readonly nodesMax: number }) | undefined;
  /** Absent: nobody is told how attempts went. */
  readonly courses?: Courses | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Watcher {
  /** Renews the lease on what it holds, takes what is new, gives back what is read to its end. */
  claimOnce(): Promise<void>;
  /** One look at every file, one round of reports. @returns how long to wait before the next (ms). */
  tailOnce(): Promise<number>;
  /** Sends what is not acknowledged, gives all targets back and closes the files. Never rejects. */
  close(): Promise<void>;
  /** For metrics. */
  standing(): WatcherStanding;
}

export interface WatcherStanding {
  readonly targets: number;
  readonly targetsMax: number;
  readonly files: number;
  /** Since everything that there was had been read, and the server had it (ms); at the beginning since then. */
  readonly lagMs: number;
  readonly unsentReports: number;
}

export function createWatcher(deps: Deps): Watcher {
  return new LogWatcher(deps);
}

interface Unsent {
  readonly report: SignalReport;
  /** Targets that are read to their end once the server has this. */
  readonly lastOf: readonly string[];
}

class LogWatcher implements Watcher {
  private readonly deps: Deps;
  private readonly buffer = createChunk();
  private readonly watches = new Map<string, TargetWatch>();
  private readonly nodes: NodeLogs | undefined;
  /** Read to the end and acknowledged; still ours until the next claim has released them. */
  private readonly finished = new Set<string>();
  /** By the clock that nobody can set. After a sleep of the host it may be past: for at most one claim another reads beside us. */
  private leaseEndsAfter = Number.NEGATIVE_INFINITY;
  private unsent: Unsent[] = [];
  private turn = 0;
  /** By the clock that nobody can set: everything was read and reported then. */
  private caughtUpAfter: number;

  constructor(deps: Deps) {
    this.deps = deps;
    this.caughtUpAfter = deps.clock.elapsed();
    const { nodeLogs } = deps;
    if (nodeLogs !== undefined) this.nodes = new NodeLogs({ ...deps, ...nodeLogs, buffer: this.buffer });
  }

  async claimOnce(): Promise<void> {
    const { server, clock, watcherId, targetsMax } = this.deps;
    const askedAfter = clock.elapsed();
    const release = [...this.finished];
    const renew = [...this.watches.keys()];
    // Somebody else may have read on in the meantime: only the server's positions count.
    const hasLapsed = askedAfter >= this.leaseEndsAfter;
    const known = new Map(hasLapsed ? [] : Array.from(this.watches, ([id, { version }]) => [id, version]));
    const claimed = await server.claimTargets({ watcher: watcherId, limit: targetsMax, renew, release, known });
    for (const id of release) this.finished.delete(id);
    if (hasLapsed) this.forget();
    this.leaseEndsAfter = askedAfter + claimed.leaseMs;
    const isReleased = new Set(release);
    this.hold(
      claimed.targets.filter((t) => !isReleased.has(t.heimdallJobId)),
      claimed.unchanged,
    );
    await this.nodes?.claimOnce();
  }

  async tailOnce(): Promise<number> {
    const { clock, source } = this.deps;
    await this.send();
    if (source.refresh !== undefined) await source.refresh();
    const hasMore = await this.tailTargets(lookAt(clock));
    return (await this.nodes?.tailOnce()) === true || hasMore ? 0 : tailEveryMs;
  }

  private async tailTargets(moment: Moment): Promise<boolean> {
    if (moment.elapsedMs >= this.leaseEndsAfter) return false;
    let hasMore = false;
    const reports: TargetReport[] = [];
    const lastOf = new Set<string>();
    const watches = [...this.watches.values()];
    // Each pass begins with another one: where a file system has time for a few files only, it is not always for the same.
    const begin = this.turn++;
    for (let n = 0; n < watches.length; n++) {
      const watch = watches[(begin + n) % watches.length]!;
      const id = watch.heimdallJobId;
      if (this.finished.has(id)) continue;
      const pass = watch.pass(moment);
      hasMore ||= pass.hasMore;
      if (pass.report !== undefined) reports.push(pass.report);
      if (pass.isLast) lastOf.add(id);
    }
    this.unsent = this.batches(reports, lastOf);
    await this.send();
    if (!hasMore) this.caughtUpAfter = moment.elapsedMs;
    return hasMore;
  }

  standing(): WatcherStanding {
    const watches = [...this.watches.values()];
    return {
      targets: watches.length,
      targetsMax: this.deps.targetsMax,
      files: watches.reduce((sum, { fileCount }) => sum + fileCount, 0),
      lagMs: this.deps.clock.elapsed() - this.caughtUpAfter,
      unsentReports: this.unsent.length,
    };
  }

  async close(): Promise<void> {
    const { server, watcherId, log } = this.deps;
    try {
      await this.send();
      const release = [...this.watches.keys()];
      if (release.length > 0) {
        const nothing = { renew: [], known: new Map<string, string>() };
        await server.claimTargets({ watcher: watcherId, limit: 0, release, ...nothing });
      }
      await this.nodes?.close();
    } catch (error) {
      log.warn({ error }, "the server is away; another watcher takes over when the lease has run out");
    }
    this.forget();
    this.nodes?.forget();
  }

  /** One report after the other, so that a failure leaves exactly what the server may not have. */
  private async send(): Promise<void> {
    for (let next = this.unsent[0]; next !== undefined; next = this.unsent[0]) {
      await this.deps.server.reportSignals(next.report);
      // A claim may have forgotten everything while this was on its way.
      if (this.unsent[0] === next) this.unsent.shift();
      for (const id of next.lastOf) this.finish(id);
    }
  }

  private finish(id: string): void {
    const watch = this.watches.get(id);
    if (watch === undefined) return;
    watch.close();
    this.watches.delete(id);
    this.finished.add(id);
  }

  private hold(targets: readonly Target[], unchanged: readonly string[]): void {
    const held = new Set([...targets.map((t) => t.heimdallJobId), ...unchanged]);
    for (const [id, watch] of this.watches) {
      if (held.has(id)) continue;
      watch.close();
      this.watches.delete(id);
    }
    const { source, matcher, log, courses, slowdownLastsMs = limits.slowdownLastsMs } = this.deps;
    const parts = { source, matcher, buffer: this.buffer, slowdownLastsMs, courses, log };
    for (const target of targets) {
      if (this.finished.has(target.heimdallJobId)) continue;
      const known = this.watches.get(target.heimdallJobId);
      if (known !== undefined) known.update(target);
      else this.watches.set(target.heimdallJobId, new TargetWatch(target, parts));
    }
  }

  private forget(): void {
    for (const watch of this.watches.values()) watch.close();
    this.watches.clear();
    this.unsent = [];
  }

  /** What went wrong goes first: it does not wait for thousands of positions. */
  private batches(reports: readonly TargetReport[], lastOf: ReadonlySet<string>): Unsent[] {
    const batches: TargetReport[][] = [];
    let [signals, positions] = [0, 0];
    for (const report of [...reports.filter(tellsCause), ...reports.filter((r) => !tellsCause(r))]) {
      signals += report.signals.length;
      positions += report.positions.length;
      const fits = signals <= limits.signalsPerReportMax && positions <= positionsPerReportMax;
      if (fits && batches.length > 0) batches.at(-1)?.push(report);
      else {
        batches.push([report]);
        [signals, positions] = [report.signals.length, report.positions.length];
      }
    }
    return batches.map((batch) => ({
      report: {
        reporter: this.deps.watcherId,
        signals: batch.flatMap((r) => r.signals),
        positions: batch.flatMap((r) => r.positions),
        nodeLinesRead: batch.flatMap(({ heimdallJobId, nodeLinesRead: number }) =>
          number === 0 ? [] : [{ heimdallJobId, number }],
        ),
      },
      lastOf: batch.map((r) => r.heimdallJobId).filter((id) => lastOf.has(id)),
    }));
  }
}

function tellsCause({ signals }: TargetReport): boolean {
  return signals.some(({ cause }) => cause !== undefined);
}
