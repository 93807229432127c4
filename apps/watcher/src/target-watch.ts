/**
 * target-watch: one attempt: all its files and what they say.
 *
 * In the loop   Target → files → tails → reader → **report of one pass**
 * Gives         signals together with the positions up to which they were read; nothing when there is nothing to say yet.
 * Keeps         signals and positions of one attempt are in one report, so that neither is ever ahead of the other.
 * Bound         `filesMax` files; a look for new ones every `searchEveryMs`; positions as `position-pace.ts` has it.
 */
import { slurmInstant } from "@reprise/core/fact/slurm-instant.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Log } from "@reprise/runtime/life.ts";
import { AttemptClock, type Moment, positionToldBy, signalToldBy } from "./attempt-clock.ts";
import { AttemptReader } from "./attempt-reader.ts";
import type { AttemptCourse } from "./course/attempt-course.ts";
import type { Courses } from "./course/courses.ts";
import { filesMatching, type LogPath, logPathsOf } from "./log-paths.ts";
import type { Matcher } from "./match/matcher.ts";
import { NodeLines } from "./nodes/node-lines.ts";
import { PositionPace } from "./position-pace.ts";
import type { LogPosition, ReportedSignal, Target } from "./server.ts";
import { textIn } from "./slurm-values.ts";
import { type LogSource, NotNow } from "./source/source.ts";
import { isWordIn, latest, type TailTarget, tailTargetOf } from "./start-of-part.ts";
import { Tail } from "./tail.ts";
import type { Reader } from "./telling-lines.ts";
import { Unread } from "./unread.ts";

const filesMax = 64;
const searchEveryMs = 2_000;
/** A pass stops after so many: with its positions they must fit one report. */
const signalsPerPassMax = 400;

export interface TargetReport {
  readonly heimdallJobId: string;
  readonly signals: readonly ReportedSignal[];
  readonly positions: readonly LogPosition[];
  /** `Target.nodeLinesNumber` up to which lines of its nodes were read. */
  readonly nodeLinesRead: number;
}

export interface Pass {
  readonly report: TargetReport | undefined;
  /** There is more to read at once. */
  readonly hasMore: boolean;
  /** Everything was read and this report says so: after it the target can be released. */
  readonly isLast: boolean;
}

const nothing: Pass = { report: undefined, hasMore: false, isLast: false };
const onlyMore: Pass = { ...nothing, hasMore: true };

export interface Parts {
  readonly source: LogSource;
  readonly matcher: Matcher;
  /** From `createChunk`, shared. */
  readonly buffer: Uint8Array;
  /** How long a loss of throughput must have lasted to be told (ms). */
  readonly slowdownLastsMs: number;
  /** Who is told how the attempt went. Absent: nobody is. */
  readonly courses?: Courses | undefined;
  readonly log: Log;
}

export class TargetWatch {
  private target: Target;
  private tailTarget: TailTarget;
  private readonly parts: Parts;
  private readonly reader: AttemptReader;
  private readonly tails: { readonly tail: Tail; readonly reader: Reader }[] = [];
  /** Of the pass that runs. */
  private now: Instant = 0;
  private paths: readonly LogPath[] = [];
  private named: readonly LogPath[];
  private searchedAt = Number.NEGATIVE_INFINITY;
  private clock: AttemptClock | undefined;
  private pace: PositionPace | undefined;
  private course: AttemptCourse | undefined;
  private readonly nodeLines = new NodeLines();
  private readonly unread: Unread;

  constructor(target: Target, parts: Parts) {
    this.target = target;
    this.tailTarget = tailTargetOf(target);
    this.named = logPathsOf(target);
    this.parts = parts;
    this.reader = new AttemptReader(target, parts.matcher);
    this.unread = new Unread(parts.log, { job: target.jobId, attempt: target.attemptIndex });
  }

  get heimdallJobId(): string {
    return this.target.heimdallJobId;
  }

  /** Of what the server said last. */
  get version(): string {
    return this.target.version;
  }

  get fileCount(): number {
    return this.tails.length;
  }

  /** What the server says of it now: it may have ended, or have a start time. */
  update(target: Target): void {
    this.target = target;
    this.tailTarget = tailTargetOf(target);
    this.named = logPathsOf(target);
    this.reader.runsOn(target.nodes, target.gpuCountPerNode);
  }

  pass(moment: Moment): Pass {
    const clock = (this.clock ??= this.startWatching(moment));
    const now = (this.now = clock.now(moment));
    if (!this.reader.isRootPending) clock.follow(moment);
    this.search(now);
    const told = this.tailTarget;
    let hasMore = false;
    for (const { tail, reader } of this.tails) {
      if (this.reader.pending >= signalsPerPassMax) {
        hasMore = true;
        break;
      }
      const more = tail.pass(now, told, reader);
      hasMore ||= more;
    }
    const { nodeLines } = this;
    hasMore ||= !nodeLines.read(this.target, this.reader, { now, clock }, signalsPerPassMax);
    const isRead = this.searchedAt !== Number.NEGATIVE_INFINITY && !hasMore;
    const isLast = told.ended && isRead && this.tails.every(({ tail }) => tail.isDone);
    this.judgeSilence(now, hasMore);
    const taken = this.reader.take(now, isLast);
    const pace = (this.pace ??= new PositionPace(now));
    const { isFatalPending, isAnswerPending } = this.reader;
    const awaited = { isFatalPending, isAnswerPending: isAnswerPending || told.ended };
    const isSilent = taken.length === 0 && !isLast;
    // Of thousands of files most say nothing in a pass: then nothing is made that somebody has to clear away.
    if (isSilent && !pace.isDue(now, awaited)) return hasMore ? onlyMore : nothing;
    const read = this.positions(told, isLast);
    if (isSilent && !pace.isNews(now, read, awaited)) return hasMore ? onlyMore : nothing;
    const signals = taken.map((signal) => signalToldBy(clock, signal));
    const positions = this.withMemory(read, now).map((position) => positionToldBy(clock, position));
    if (signals.length === 0 && positions.length === 0) return { report: undefined, hasMore, isLast };
    pace.telling(now, read, signals);
    this.course?.heard({ signals, positions, ...this.reader.pace, isBehind: hasMore });
    const report = { heimdallJobId: this.heimdallJobId, signals, positions, nodeLinesRead: nodeLines.number };
    return { report, hasMore, isLast };
  }

  close(): void {
    for (const { tail } of this.tails) tail.close();
    this.course?.close();
  }

  private search(now: Instant): void {
    const isFirst = this.searchedAt === Number.NEGATIVE_INFINITY;
    if (now - this.searchedAt < searchEveryMs && !this.target.ended) return;
    const files = this.filesOf(this.named);
    if (files === undefined) return;
    this.searchedAt = now;
    this.paths = this.named;
    for (const { file, isGlob } of files) this.follow(file, isGlob && !isFirst);
  }

  /** @returns undefined when a folder has not answered yet: which files are there is not known. */
  private filesOf(paths: readonly LogPath[]): readonly { file: string; isGlob: boolean }[] | undefined {
    const { names } = this.parts.source;
    try {
      return paths.flatMap((p) => {
        if (p.kind !== "path") return [];
        const files = p.isGlob ? filesMatching(p.path, names, filesMax) : [p.path];
        return files.map((file) => ({ file, isGlob: p.isGlob }));
      });
    } catch (error) {
      if (error instanceof NotNow) return undefined;
      throw error;
    }
  }

  private follow(path: string, appeared: boolean): void {
    if (this.tails.length >= filesMax || this.tails.some(({ tail }) => tail.path === path)) return;
    const { positions, earlier } = this.target;
    const own = positions.find((p) => p.path === path);
    const isNamedAfterJob = isWordIn(path, this.target.jobId) || isWordIn(path, textIn(this.target.slurm, "recordId"));
    const begin = { path, own, earlier: latest(earlier.filter((p) => p.path === path)), isNamedAfterJob, appeared };
    const tail = new Tail(this.parts.source, begin, this.parts.buffer);
    this.tails.push({ tail, reader: this.readerOf(path) });
  }

  private readerOf(path: string): Reader {
    return {
      last: (line) => this.reader.readLast(line, this.now),
      emptied: () => this.reader.excuse(this.now),
      telling: { ends: this.parts.matcher.ends, wantsAll: () => this.reader.wantsAll(path) },
      take: (line) => {
        this.reader.read(line, this.now);
        return this.reader.pending < signalsPerPassMax;
      },
    };
  }

  /** Silence counts only where every file was read past it; a suspended job is silent for a reason. */
  private judgeSilence(now: Instant, hasMore: boolean): void {
    if (this.target.slurm["slurmState"] === "SUSPENDED") return this.reader.excuse(now);
    if (this.target.ended || hasMore || this.paths.some((p) => p.kind === "unresolved")) return;
    let earliest: Instant | undefined;
    for (const { tail } of this.tails) {
      const { readTo } = tail;
      if (readTo === "unknown") return;
      if (readTo !== undefined) earliest = Math.min(earliest ?? readTo, readTo);
    }
    if (earliest !== undefined) this.reader.judge(earliest, now);
  }

  private startWatching(moment: Moment): AttemptClock {
    const clock = new AttemptClock(moment);
    const beginsAt = clock.now(moment);
    const { silence, slowdown, slurm, positions } = this.target;
    const startedAt = slurmInstant(slurm["startTime"]) ?? beginsAt;
    this.course = this.parts.courses?.of(this.heimdallJobId, startedAt);
    const slowdownLastsMs = slowdown ? this.parts.slowdownLastsMs : undefined;
    this.reader.watch({ silence, slowdownLastsMs, startedAt, beginsAt, positions });
    return clock;
  }

  private positions(told: TailTarget, isLast: boolean): readonly LogPosition[] {
    const positions: LogPosition[] = [];
    for (const { tail } of this.tails) {
      const position = tail.position(told, this.reader.heldAt(tail.path));
      if (position !== undefined) positions.push(position);
    }
    for (const { path, unreadable } of positions) this.unread.is(path, unreadable);
    // What is no file still has its line, so that nobody takes its silence for an answer, or waits for its end.
    const nowhere = { device: "", inode: "", mark: "", offset: 0, start: 0, heimdallJobId: this.target.heimdallJobId };
    for (const p of this.paths) {
      if (p.kind === "unresolved") positions.push({ ...nowhere, path: p.pattern, ended: isLast, unreadable: p.why });
      else if (p.isGlob && isLast && this.tails.length === 0) positions.push({ ...nowhere, path: p.path, ended: true });
    }
    return positions;
  }

  /** What the detectors have learnt travels with the first file. */
  private withMemory([first, ...rest]: readonly LogPosition[], now: Instant): readonly LogPosition[] {
    if (first === undefined) return [];
    const memory = this.reader.memory(now);
    return [memory === undefined ? first : { ...first, memory }, ...rest];
  }
}
