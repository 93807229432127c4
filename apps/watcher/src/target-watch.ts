/**
 * target-watch: one attempt: all its files and what they say.
 *
 * In the loop   Target → files → tails → reader → **report of one pass**
 * Gives         signals together with the positions up to which they were read; nothing when there is nothing to say yet.
 * Keeps         signals and positions of one attempt are in one report, so that neither is ever ahead of the other.
 * Bound         `filesMax` files; a look for new ones every `searchEveryMs`; positions every `positionEveryMs`, or every
 *               `fatalPositionEveryMs` while the server waits to hear that no further step came.
 */
import type { Instant, JsonObject } from "@reprise/core/nouns.ts";
import { AttemptReader } from "./attempt-reader.ts";
import { filesMatching, type LogPath, logPathsOf } from "./log-paths.ts";
import type { Matcher } from "./match/matcher.ts";
import type { LogPosition, ReportedSignal, Target } from "./server.ts";
import type { LogSource } from "./source/source.ts";
import type { TailTarget } from "./start-of-part.ts";
import { Tail } from "./tail.ts";

const filesMax = 64;
const searchEveryMs = 2_000;
const positionEveryMs = 2_000;
const fatalPositionEveryMs = 200; // At every pass over the tails.
/** A pass stops after so many: with its positions they must fit one report. */
const signalsPerPassMax = 400;

export interface TargetReport {
  readonly heimdallJobId: string;
  readonly signals: readonly ReportedSignal[];
  readonly positions: readonly LogPosition[];
}

export interface Pass {
  readonly report: TargetReport | undefined;
  /** There is more to read at once. */
  readonly hasMore: boolean;
  /** Everything was read and this report says so: after it the target can be released. */
  readonly isLast: boolean;
}

export interface Parts {
  readonly source: LogSource;
  readonly matcher: Matcher;
  /** Of `chunkBytes`, shared. */
  readonly buffer: Uint8Array;
}

export class TargetWatch {
  private target: Target;
  private readonly parts: Parts;
  private readonly reader: AttemptReader;
  private readonly tails = new Map<string, Tail>();
  private paths: readonly LogPath[] = [];
  private searchedAt = Number.NEGATIVE_INFINITY;
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor(target: Target, parts: Parts) {
    this.target = target;
    this.parts = parts;
    this.reader = new AttemptReader(target, parts.matcher);
  }

  /** What the server says of it now: it may have ended, or have a start time. */
  update(target: Target): void {
    this.target = target;
    this.reader.runsOn(target.nodes, target.gpuCountPerNode);
  }

  pass(now: Instant): Pass {
    this.search(now);
    const told = this.tailTarget();
    let hasMore = false;
    for (const tail of this.tails.values()) {
      if (this.reader.pending >= signalsPerPassMax) {
        hasMore = true;
        break;
      }
      const more = tail.pass(now, told, (line) => {
        this.reader.read(line, now);
        return this.reader.pending < signalsPerPassMax;
      });
      hasMore ||= more;
    }
    const isLast = told.ended && !hasMore && [...this.tails.values()].every((tail) => tail.isDone);
    const signals = this.reader.take(now, isLast);
    const isDue = now - this.reportedAt >= (this.reader.isFatalPending ? fatalPositionEveryMs : positionEveryMs);
    if (signals.length === 0 && !isLast && !isDue) return { report: undefined, hasMore, isLast };
    const positions = this.positions(told, isLast);
    if (signals.length === 0 && positions.length === 0) return { report: undefined, hasMore, isLast };
    this.reportedAt = now;
    return { report: { heimdallJobId: this.target.heimdallJobId, signals, positions }, hasMore, isLast };
  }

  close(): void {
    for (const tail of this.tails.values()) tail.close();
  }

  private search(now: Instant): void {
    const isFirst = this.searchedAt === Number.NEGATIVE_INFINITY;
    if (now - this.searchedAt < searchEveryMs && !this.target.ended) return;
    this.searchedAt = now;
    this.paths = logPathsOf(this.target);
    for (const { path, isGlob } of this.paths.filter((p) => p.kind === "path")) {
      const names = this.parts.source.names;
      for (const file of isGlob ? filesMatching(path, names, filesMax) : [path]) this.follow(file, isGlob && !isFirst);
    }
  }

  private follow(path: string, appeared: boolean): void {
    if (this.tails.has(path) || this.tails.size >= filesMax) return;
    const { positions, earlier } = this.target;
    const own = positions.find((p) => p.path === path);
    const isNamedAfterJob = isWordIn(path, this.target.jobId) || isWordIn(path, textIn(this.target.slurm, "recordId"));
    const begin = { path, own, earlier: latest(earlier.filter((p) => p.path === path)), isNamedAfterJob, appeared };
    this.tails.set(path, new Tail(this.parts.source, begin, this.parts.buffer));
  }

  private positions(told: TailTarget, isLast: boolean): readonly LogPosition[] {
    const positions: LogPosition[] = [];
    for (const tail of this.tails.values()) {
      const position = tail.position(told, this.reader.heldAt(tail.path));
      if (position !== undefined) positions.push(position);
    }
    // What is no file still has its line, so that nobody takes its silence for an answer, or waits for its end.
    const nowhere = { device: "", inode: "", mark: "", offset: 0, start: 0, heimdallJobId: this.target.heimdallJobId };
    for (const p of this.paths) {
      if (p.kind === "unresolved") positions.push({ ...nowhere, path: p.pattern, ended: isLast, unreadable: p.why });
      else if (p.isGlob && isLast && this.tails.size === 0) positions.push({ ...nowhere, path: p.path, ended: true });
    }
    return positions;
  }

  private tailTarget(): TailTarget {
    const { heimdallJobId, attemptIndex, sharedAcrossAttempts: shared, ended, slurm } = this.target;
    const [startedAt, endedAt] = [instantIn(slurm, "startTime"), instantIn(slurm, "endTime")];
    return { heimdallJobId, attemptIndex, startedAt, endedAt, shared, ended };
  }
}

/** Of several earlier attempts the one that was read last. */
function latest(positions: readonly LogPosition[]): LogPosition | undefined {
  return positions.toSorted((a, b) => (a.readAt ?? 0) - (b.readAt ?? 0)).at(-1);
}

/** `128` is in `slurm-128.out`, not in `run1280.log`. */
function isWordIn(path: string, id: string | undefined): boolean {
  return id !== undefined && new RegExp(`(?<![0-9])0*${id}(?![0-9])`).test(path);
}

function textIn(slurm: JsonObject, key: string): string | undefined {
  const value = slurm[key];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** Milliseconds, or RFC 3339. 0 and nonsense are "not known". */
function instantIn(slurm: JsonObject, key: string): Instant | undefined {
  const value = slurm[key];
  const at = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) && at > 0 ? at : undefined;
}
