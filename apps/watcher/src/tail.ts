/**
 * tail: follows one file for one attempt.
 *
 * In the loop   look → place → read → **lines with exact offsets** → attempt-reader
 * Gives         each line once, in order, with the offset of its first byte; a last line without an end when it has got
 *               one, or when the attempt is over.
 * Keeps         a line of another attempt is never given. When what was read is suddenly gone from the file, nothing is read
 *               for a while (`rewrite.ts`): most likely the next attempt has begun and the server will say so; only when this
 *               attempt still runs after that, the program itself has emptied its log.
 * Fails         never throws. What cannot be read is `unreadable` with the reason, and is tried again at each pass.
 * Bound         one read of `chunkBytes` a pass.
 *
 *   (no file) ──► waiting ──► reading ──► done      rotation: the old file to its end, then the new one
 *                    └───────► ▲   │ gone           done: over, and twice the same end `quietMs` apart
 *                              └───┴─ rewritten
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { eachLine, type Line } from "./lines.ts";
import { markBefore } from "./mark.ts";
import { NameWatch } from "./name-watch.ts";
import { replay } from "./replay.ts";
import { Rewrite } from "./rewrite.ts";
import type { LogPosition } from "./server.ts";
import type { Look, LogSource, OpenLog } from "./source/source.ts";
import { placeAfterWait, placeOf, type ReadPart, type TailStart, type TailTarget } from "./start-of-part.ts";

/** Twice the longest line: a read always sees one whole. */
export const chunkBytes = 2 * 1024 * 1024;
const quietMs = 200;
const unreadableMs = 5_000;
interface At {
  readonly inode: string;
  readonly device: string;
  start: number;
  offset: number;
}

export class Tail {
  readonly path: string;
  isDone = false;
  private readonly source: LogSource;
  private readonly begin: TailStart;
  private readonly buffer: Uint8Array;
  private log: OpenLog | undefined;
  private at: At | undefined;
  private waiting: { before: ReadPart; modifiedAt: Instant } | undefined;
  private appeared: boolean;
  private readonly rewrite = new Rewrite();
  private readonly name: NameWatch;
  /** Size at which everything but an unfinished line had been read. */
  private readSize = -1;
  private readAt: Instant | undefined;
  private quiet: { size: number; since: Instant } | undefined;
  private unreadable: string | undefined;

  /** @param buffer Of `chunkBytes`; shared by all tails of a watcher, which read one after the other. */
  constructor(source: LogSource, begin: TailStart, buffer: Uint8Array) {
    this.path = begin.path;
    this.source = source;
    this.begin = begin;
    this.buffer = buffer;
    this.appeared = begin.appeared;
    this.name = new NameWatch(source, begin.path);
  }

  /**
   * @param take Called for each line; false: enough for this pass, go on after this line at the next one.
   * @returns    whether there is more to read at once.
   */
  pass(now: Instant, target: TailTarget, take: (line: Line) => boolean): boolean {
    if (this.isDone) return false;
    try {
      if (this.log === undefined && !this.open(now, target)) return false;
      const log = this.log!;
      const look = log.look();
      this.unreadable = undefined;
      if (!this.findPlace(now, target, look, take)) return false;
      return this.read(now, target, log, look, take);
    } catch (error) {
      this.close();
      return this.cannotRead(now, target, (error as Error).message);
    }
  }

  /** @param heldAt Offset of a line that was read but not reported: the position may not pass it. */
  position(target: TailTarget, heldAt: number | undefined): LogPosition | undefined {
    const base = { heimdallJobId: target.heimdallJobId, path: this.path, ended: this.isDone };
    const bad = this.unreadable === undefined ? {} : { unreadable: this.unreadable };
    if (this.at === undefined) {
      if (!this.isDone && this.unreadable === undefined) return undefined;
      const { device = "", inode = "", mark = "", offset = 0, start = 0 } = this.begin.own ?? {};
      return { ...base, device, inode, mark, offset, start, ...bad };
    }
    const { device, inode, start } = this.at;
    const offset = Math.min(this.at.offset, heldAt ?? this.at.offset);
    const readAt = this.readAt === undefined ? {} : { readAt: this.readAt };
    return { ...base, device, inode, mark: this.rewrite.markAt(this.log, offset), offset, start, ...readAt, ...bad };
  }

  close(): void {
    this.log?.close();
    this.log = undefined;
  }

  private open(now: Instant, target: TailTarget): boolean {
    const opened = this.source.open(this.path);
    if (opened.kind === "open") {
      this.log = opened.log;
      this.name.begin(now);
      this.readSize = -1;
      // A file that could not be read for a while may be another one by now.
      if (this.at !== undefined && opened.log.look().inode !== this.at.inode) this.at = undefined;
      return true;
    }
    if (opened.kind === "unreadable") return this.cannotRead(now, target, opened.why);
    this.unreadable = undefined;
    if (this.at === undefined) this.appeared = true;
    if (target.ended) this.finishWhenQuiet(now, -1);
    return false;
  }

  /** A file system may come back; but nobody waits for ever for the end of an attempt that is over. */
  private cannotRead(now: Instant, target: TailTarget, why: string): false {
    this.unreadable = why;
    if (target.ended) this.finishWhenQuiet(now, -2, unreadableMs);
    return false;
  }

  /** @returns false when there is nothing to read in this pass. */
  private findPlace(now: Instant, target: TailTarget, look: Look, take: (line: Line) => boolean): boolean {
    if (this.at !== undefined && this.waiting === undefined) return this.isIntact(now, target, look);
    if (this.begin.own?.ended === true && target.ended) return this.endedBefore(this.begin.own);
    const isStillBefore = (p: ReadPart) => p.mark === "" || p.mark === markBefore(this.log!, p.offset);
    const known = { ...this.begin, ...target, appeared: this.appeared, look, isStillBefore };
    const place =
      this.waiting === undefined ? placeOf(known) : placeAfterWait(known, this.waiting.before, this.waiting.modifiedAt);
    if (place.kind === "rewritten") return this.startRewritten(now, target, look);
    if (place.kind === "foreign") {
      this.unreadable = "the file was written to after the attempt had ended; its part cannot be told";
      this.isDone = true;
      return false;
    }

    const offset = place.kind === "wait" ? place.before : place.offset;
    const start = place.kind === "wait" ? place.before : place.start;
    this.at = { inode: look.inode, device: look.device, start, offset };
    if (place.kind === "wait") {
      const before = { inode: look.inode, offset, mark: markBefore(this.log!, offset) };
      this.waiting = { before, modifiedAt: look.modifiedAt };
      this.readAt = now;
      if (target.ended) this.finishWhenQuiet(now, look.size);
      return false;
    }
    this.waiting = undefined;
    if (place.isResumed) {
      replay(this.log!, this.buffer, this.at, (at, from, to) => {
        take({ ...this.line(at, this.buffer, from, to), isReplay: true });
      });
    }
    return true;
  }

  /** The last watcher had said so before it could let go. */
  private endedBefore({ inode, device, start, offset, mark }: LogPosition): boolean {
    this.at = { inode, device, start, offset };
    this.rewrite.remember(offset, mark);
    this.isDone = true;
    return false;
  }

  /** The own position of a restarted watcher, in a file that was emptied since. */
  private startRewritten(now: Instant, target: TailTarget, look: Look): boolean {
    const { own } = this.begin;
    this.at = { inode: look.inode, device: look.device, start: own?.start ?? 0, offset: own?.offset ?? 0 };
    this.rewrite.remember(this.at.offset, own?.mark ?? "short");
    this.rewrite.begin(now);
    if (target.ended) this.isDone = true; // What is in it now is the next attempt's.
    return false;
  }

  /** Watches for a file that shrinks under the reader. */
  private isIntact(now: Instant, target: TailTarget, look: Look): boolean {
    const at = this.at!;
    const state = this.rewrite.look(now, this.log!, look.size, at.offset);
    if (state === "intact") return true;
    if (target.ended) this.isDone = true; // What is in it now is the next attempt's.
    if (target.ended || state === "gone") return false;
    at.start = 0;
    at.offset = 0;
    this.readSize = -1;
    return true;
  }

  private read(now: Instant, target: TailTarget, log: OpenLog, look: Look, take: (line: Line) => boolean): boolean {
    const at = this.at!;
    let isAtEnd = true;
    if (look.size !== this.readSize) {
      const bytes = log.read(this.buffer, at.offset);
      let stopped = false;
      const next = eachLine(this.buffer, bytes, (from, to) => {
        stopped = !take(this.line(at.offset + from, this.buffer, from, to));
        return !stopped;
      });
      at.offset += next;
      isAtEnd = !stopped && bytes < this.buffer.length;
      this.readSize = isAtEnd ? at.offset + (bytes - next) : -1;
    }
    if (!isAtEnd) {
      this.quiet = undefined;
      return true;
    }
    this.readAt = now;
    if (this.name.isOfAnother(now, look.inode)) return this.switchToNew(take, log);
    if (!target.ended) this.quiet = undefined;
    else if (this.finishWhenQuiet(now, look.size)) this.takeUnfinished(log, take);
    return false;
  }

  /** The old file was read to its end; whatever has its name now was born in this attempt. */
  private switchToNew(take: (line: Line) => boolean, old: OpenLog): boolean {
    const opened = this.source.open(this.path);
    if (opened.kind !== "open") return false;
    this.takeUnfinished(old, take);
    old.close();
    this.log = opened.log;
    const { inode, device } = opened.log.look();
    this.at = { inode, device, start: 0, offset: 0 };
    this.readSize = -1;
    return true;
  }

  /** @param size Of the file; negative where there is none to look at. */
  private finishWhenQuiet(now: Instant, size: number, forMs = quietMs): boolean {
    if (this.quiet === undefined || this.quiet.size !== size) this.quiet = { size, since: now };
    else if (now - this.quiet.since >= forMs) this.isDone = true;
    return this.isDone;
  }

  private takeUnfinished(log: OpenLog, take: (line: Line) => boolean): void {
    const at = this.at!;
    const bytes = log.read(this.buffer, at.offset);
    if (bytes > 0) take(this.line(at.offset, this.buffer, 0, bytes));
    at.offset += bytes;
  }

  private line(offset: number, bytes: Uint8Array, from: number, to: number): Line {
    return { path: this.path, inode: this.at!.inode, offset, bytes, from, to, isReplay: false };
  }
}
