/**
 * tail: follows one file for one attempt.
 *
 * In the loop   look → place → read → **lines with exact offsets** → attempt-reader
 * Gives         each line once, in order, with the offset of its first byte; a last line without an end when it has got
 *               one, or when the attempt is over.
 * Keeps         a line of another attempt is never given. When what was read is suddenly gone from the file, nothing is read
 *               for a while (`rewrite.ts`): the next attempt has begun; or, where this one still runs then, its program emptied it.
 * Fails         never throws. What cannot be read is `unreadable` with the reason, and tried again; no answer yet changes nothing.
 * Bound         one read of `chunkBytes` a pass; a look at least once a second (`heat.ts`); a flood is sampled (`flood.ts`).
 *
 *   (no file) ──► waiting ──► reading ──► done      rotation: the old file to its end, then the new one
 *                    └───────► ▲   │ gone           done: over, and twice the same end `quietMs` apart
 *                              └───┴─ rewritten
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { Flood } from "./flood.ts";
import { Heat } from "./heat.ts";
import type { Line, LineEnds } from "./lines.ts";
import { endsLine, markBefore } from "./mark.ts";
import { NameWatch } from "./name-watch.ts";
import { openedAnew, Quiet } from "./quiet.ts";
import { replay } from "./replay.ts";
import { Rewrite } from "./rewrite.ts";
import type { LogPosition } from "./server.ts";
import { type Look, type LogSource, NotNow, type OpenLog } from "./source/source.ts";
import { leftUnread, placeAfterWait, placeOf } from "./start-of-part.ts";
import type { ReadPart, TailStart, TailTarget } from "./start-of-part.ts";
import { giveLines, type Reader } from "./telling-lines.ts";

type At = { -readonly [K in "inode" | "device" | "start" | "offset"]: LogPosition[K] };

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
  private readonly heat = new Heat();
  private readonly flood = new Flood();
  private readonly name: NameWatch;
  /** Size at which everything but an unfinished line had been read. */
  private readSize = -1;
  private readAt: Instant | undefined;
  private readonly quiet = new Quiet();
  private unreadable: string | undefined;
  private sampled: string | undefined;

  /** @param buffer From `createChunk`; shared by all tails of a watcher, which read one after the other. */
  constructor(source: LogSource, begin: TailStart, buffer: Uint8Array) {
    this.path = begin.path;
    this.source = source;
    this.begin = begin;
    this.buffer = buffer;
    this.appeared = begin.appeared;
    this.name = new NameWatch(source, begin.path);
  }

  /** @returns whether there is more to read at once. */
  pass(now: Instant, target: TailTarget, reader: Reader): boolean {
    if (this.isDone || !(target.ended || this.heat.isDue(now))) return false;
    const before = this.at?.offset;
    let hasMore = false;
    try {
      hasMore = (this.log !== undefined || this.open(now, target)) && this.lookAndRead(now, target, this.log!, reader);
    } catch (error) {
      if (error instanceof NotNow) return false;
      this.close();
      this.cannotRead(now, target, (error as Error).message);
    }
    this.heat.looked(now, this.at?.offset !== before);
    this.log?.expect?.(this.at?.offset ?? 0, this.heat.dueInMs(now));
    return hasMore;
  }

  /** @param heldAt Offset of a line that was read but not reported: the position may not pass it. */
  position(target: TailTarget, heldAt: number | undefined): LogPosition | undefined {
    const base = { heimdallJobId: target.heimdallJobId, path: this.path, ended: this.isDone };
    const why = this.unreadable ?? this.sampled; // Of what was left out nobody knows what it said.
    const bad = why === undefined ? {} : { unreadable: why };
    if (this.at === undefined) {
      if (!this.isDone && this.unreadable === undefined) return undefined;
      const { device = "", inode = "", mark = "", offset = 0, start = 0 } = this.begin.own ?? {};
      return { ...base, device, inode, mark, offset, start, ...bad };
    }
    const offset = Math.min(this.at.offset, heldAt ?? this.at.offset);
    const mark = this.rewrite.markAt(this.log, offset);
    return { ...base, ...this.at, mark, offset, ...(this.readAt === undefined ? {} : { readAt: this.readAt }), ...bad };
  }

  /** Up to when it was read whole. `unknown`: silence in it means nothing; undefined: there is no such file yet. */
  get readTo(): Instant | "unknown" | undefined {
    return (this.unreadable ?? this.sampled) === undefined ? this.at && (this.readAt ?? "unknown") : "unknown";
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
    if (target.ended) this.isDone = this.quiet.isOver(now, -1);
    return false;
  }

  /** A file system may come back; but nobody waits for ever for the end of an attempt that is over. */
  private cannotRead(now: Instant, target: TailTarget, why: string): false {
    this.unreadable = why;
    if (target.ended) this.isDone = this.quiet.isLost(now);
    return false;
  }

  private lookAndRead(now: Instant, target: TailTarget, log: OpenLog, reader: Reader): boolean {
    const look = log.look();
    this.unreadable = undefined;
    return this.findPlace(now, target, look, reader) && this.read(now, target, log, look, reader);
  }

  /** @returns false when there is nothing to read in this pass. */
  private findPlace(now: Instant, target: TailTarget, look: Look, reader: Reader): boolean {
    if (this.at !== undefined && this.waiting === undefined) return this.isIntact(now, target, look, reader);
    if (this.begin.own?.ended === true && target.ended) return this.endedBefore(this.begin.own);
    const isStillBefore = (p: ReadPart) => p.mark === "" || p.mark === markBefore(this.log!, p.offset);
    const isLineEnd = (p: ReadPart) => endsLine(this.log!, p.offset);
    const known = { ...this.begin, ...target, appeared: this.appeared, look, isStillBefore, isLineEnd };
    const place =
      this.waiting === undefined ? placeOf(known) : placeAfterWait(known, this.waiting.before, this.waiting.modifiedAt);
    if (place.kind === "rewritten") return this.startRewritten(now, look);
    if (place.kind === "foreign") {
      [this.isDone, this.unreadable] = [true, place.why];
      return false;
    }
    const { start, offset } = place.kind === "wait" ? { start: place.before, offset: place.before } : place;
    const at = { inode: look.inode, device: look.device, start, offset };
    if (place.kind === "wait") {
      const before = { inode: look.inode, offset, mark: markBefore(this.log!, offset) };
      this.at = at;
      this.waiting = { before, modifiedAt: look.modifiedAt };
      this.readAt = now;
      if (target.ended) this.isDone = this.quiet.isOver(now, look.size);
      return false;
    }
    if (place.isResumed) {
      const teach = (line: Line) => void reader.take({ ...line, isReplay: true });
      replay(this.log!, this.buffer, at, (o, from, to) => teach(this.line(look.inode, o, from, to)));
    }
    this.waiting = undefined;
    this.at = at;
    return true;
  }

  /** The last watcher had said so before it could let go. */
  private endedBefore({ inode, device, start, offset, mark }: LogPosition): false {
    this.at = { inode, device, start, offset };
    this.rewrite.remember(offset, mark);
    this.isDone = true;
    return false;
  }

  /** The own position of a restarted watcher, in a file that was emptied since. */
  private startRewritten(now: Instant, { inode, device }: Look): boolean {
    const { start = 0, offset = 0, mark = "short" } = this.begin.own ?? {};
    this.at = { inode, device, start, offset };
    this.rewrite.begin(now, offset, mark);
    return false;
  }

  /** Watches for a file that shrinks under the reader. */
  private isIntact(now: Instant, target: TailTarget, look: Look, reader: Reader): boolean {
    const state = this.rewrite.look(now, this.log!, look.size, { ...this.at!, readSize: this.readSize });
    if (state === "intact") return true;
    if (target.ended) [this.isDone, this.unreadable] = [true, leftUnread(target, this.at!, look)];
    if (this.unreadable !== undefined) this.readAt = undefined; // Nobody has read what is there now.
    if (this.isDone || state === "gone") return false;
    reader.emptied?.();
    [this.at, this.readSize] = [{ ...this.at!, start: 0, offset: 0 }, -1];
    return true;
  }

  private read(now: Instant, target: TailTarget, log: OpenLog, look: Look, reader: Reader): boolean {
    const at = this.at!;
    let isAtEnd = true;
    if (look.size !== this.readSize) {
      at.offset = this.flood.placeIn(now, log, look.size, at.offset, this.buffer);
      const bytes = log.read(this.buffer, at.offset);
      // It may have been emptied and filled since the look: the next one says so.
      if (this.rewrite.hasChanged(log, at.offset)) return false;
      const { next, stopped } = giveLines(this.buffer, bytes, reader, (from, to, ends) =>
        this.line(at.inode, at.offset + from, from, to, ends),
      );
      at.offset += next;
      isAtEnd = !stopped && bytes < this.buffer.length;
      this.readSize = isAtEnd ? at.offset + (bytes - next) : -1;
      this.rewrite.hasRead(log, at.offset);
    }
    this.sampled = this.flood.notice(now);
    if (!isAtEnd) {
      this.quiet.end();
      return true;
    }
    this.readAt = now;
    if (this.name.isOfAnother(now, look.inode)) return this.switchToNew(reader, log);
    if (!target.ended) this.quiet.end();
    else if (this.quiet.isOver(now, look.size)) {
      this.log = openedAnew(this.source, this.path, log, look);
      this.isDone = this.log === log;
    }
    if (this.isDone) this.takeUnfinished(log, reader);
    return false;
  }

  /** The old file was read to its end; whatever has its name now was born in this attempt. */
  private switchToNew(reader: Reader, old: OpenLog): boolean {
    const opened = this.source.open(this.path);
    if (opened.kind !== "open") return false;
    this.takeUnfinished(old, reader);
    old.close();
    this.log = opened.log;
    [this.at, this.readSize] = [{ ...this.at!, inode: opened.log.look().inode, start: 0, offset: 0 }, -1];
    return true;
  }

  private takeUnfinished(log: OpenLog, reader: Reader): void {
    const at = this.at!;
    const bytes = log.read(this.buffer, at.offset);
    if (bytes > 0) reader.take(this.line(at.inode, at.offset, 0, bytes));
    at.offset += bytes;
  }

  private line(inode: string, offset: number, from: number, to: number, ends?: LineEnds): Line {
    return { path: this.path, inode, offset, bytes: this.buffer, from, to, isReplay: false, ends };
  }
}
