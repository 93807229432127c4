/**
 * node-watch: the logs of one node: its files, and the lines in them that may explain a failure.
 *
 * In the loop   files of a node → tails → anchors and expressions → **NodeLine** → server → the attempts that it concerns
 * Gives         lines that bear a signature, with their own time by our clock, and the positions up to which they were read.
 * Keeps         a line has the same key however often it is read, and under whatever name a rotation gave its file. A line whose time
 *               cannot be read concerns nobody: it is counted and told, never guessed.
 * Bound         `filesMax` files; on first sight the last `firstBytes` of each; of one signature `perSignatureMax` lines in
 *               `perSignatureMs`, by their own times: a node that repeats itself for hours fills no database.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { NodeLine, NodeLogPosition } from "@reprise/protocol/wire/node-line.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Moment } from "../attempt-clock.ts";
import type { Line } from "../lines.ts";
import { fnv1a } from "../mark.ts";
import { cutToBytes } from "../match/line-text.ts";
import type { Matcher } from "../match/matcher.ts";
import { isCause } from "../match/signature.ts";
import type { NodeLog } from "../server.ts";
import { type LogSource, NotNow } from "../source/source.ts";
import type { TailTarget } from "../start-of-part.ts";
import { Tail } from "../tail.ts";
import { Unread } from "../unread.ts";
import { NodeClock } from "./node-clock.ts";
import { nodeFiles } from "./node-files.ts";
import { timeOfNodeLine } from "./node-time.ts";

const filesMax = 16;
const searchEveryMs = 10_000;
const positionEveryMs = 10_000;
const linesPerPassMax = 200;
const firstBytes = 4 * 1024 * 1024;
const perSignatureMax = 10;
const perSignatureMs = 60_000;
/** The files of a node are nobody's part, and never end. */
const everybodys: TailTarget = { heimdallJobId: "", attemptIndex: 0, ended: false };

export interface NodeParts {
  readonly source: LogSource;
  readonly matcher: Matcher;
  /** From `createChunk`, shared. */
  readonly buffer: Uint8Array;
  /** Path patterns with `%N` and `%c`, and `*`. */
  readonly patterns: readonly string[];
  /** An IANA name, for times without a zone. */
  readonly zone: string;
  readonly log: Log;
}

export interface NodePass {
  readonly lines: readonly NodeLine[];
  /** Of all its files; empty when there is nothing to say. */
  readonly positions: readonly NodeLogPosition[];
  readonly hasMore: boolean;
}

export class NodeWatch {
  private known: NodeLog;
  private readonly parts: NodeParts;
  private readonly tails = new Map<string, Tail>();
  private readonly clock = new NodeClock();
  private readonly told = new Map<string, { readonly since: Instant; readonly lines: number }>();
  private readonly warned = new Set<string>();
  private readonly unread: Unread;
  private lines: NodeLine[] = [];
  private searchedAfter = Number.NEGATIVE_INFINITY;
  private positionAfter = Number.NEGATIVE_INFINITY;

  constructor(known: NodeLog, parts: NodeParts) {
    this.known = known;
    this.parts = parts;
    this.unread = new Unread(parts.log, { node: known.node });
  }

  get cluster(): string {
    return this.known.cluster;
  }

  /** Who runs there has changed. */
  update(known: NodeLog): void {
    this.known = known;
  }

  pass(moment: Moment): NodePass {
    this.search(moment.elapsedMs);
    let hasMore = false;
    for (const tail of this.tails.values()) {
      const more = tail.pass(moment.elapsedMs, everybodys, {
        telling: { ends: this.parts.matcher.ends, wantsAll: () => false },
        take: (line) => {
          this.hear(line, moment.wall);
          return this.lines.length < linesPerPassMax;
        },
      });
      hasMore ||= more;
    }
    const lines = this.lines;
    this.lines = [];
    if (lines.length === 0 && moment.elapsedMs - this.positionAfter < positionEveryMs)
      return { lines, positions: [], hasMore };
    this.positionAfter = moment.elapsedMs;
    return { lines, positions: this.positions(moment), hasMore };
  }

  close(): void {
    for (const tail of this.tails.values()) tail.close();
  }

  private search(elapsedMs: number): void {
    if (elapsedMs - this.searchedAfter < searchEveryMs) return;
    const { source, patterns } = this.parts;
    const isFirst = this.searchedAfter === Number.NEGATIVE_INFINITY;
    try {
      for (const { path, isGlob } of nodeFiles(patterns, this.known, source.names, filesMax))
        if (!this.tails.has(path) && this.tails.size < filesMax) this.follow(path, isGlob && !isFirst);
      this.searchedAfter = elapsedMs;
    } catch (error) {
      if (!(error instanceof NotNow)) throw error; // Which files there are is not known yet.
    }
  }

  private follow(path: string, appeared: boolean): void {
    const { source, buffer } = this.parts;
    const known = this.known.positions.find((position) => position.path === path);
    const begin = known ?? (appeared ? undefined : this.nearTheEnd(path));
    const own = begin && { ...begin, heimdallJobId: "", start: begin.offset, ended: false };
    this.tails.set(path, new Tail(source, { path, own, isNamedAfterJob: false, appeared }, buffer));
  }

  /** @returns undefined: it is read from its beginning. */
  private nearTheEnd(path: string): Omit<NodeLogPosition, "node"> | undefined {
    const looked = this.parts.source.look(path);
    if (looked.kind !== "seen" || looked.look.size <= firstBytes) return undefined;
    const { device, inode, size } = looked.look;
    return { path, device, inode, mark: "", offset: size - firstBytes };
  }

  private hear(line: Line, now: Instant): void {
    if (line.isReplay) return;
    const match = this.parts.matcher.match(line);
    const found = match?.found.find(({ signature }) => isCause(signature) || signature.kind === "host-load");
    if (match === undefined || found === undefined) return;
    const text = match.text.trim();
    const own = timeOfNodeLine(text, { zone: this.parts.zone, readAt: now });
    const at = own === undefined ? undefined : this.clock.ours(own, now);
    if (at === undefined)
      return this.warn(own === undefined ? "its time cannot be read" : "its time is yet to come", line.path, text);
    if (at < this.known.since || !this.mayTell(found.signature.id, at)) return;
    this.lines.push({
      node: this.known.node,
      at,
      line: cutToBytes(text, limits.evidenceLineBytesMax),
      key: `${line.inode}:${line.offset}:${fnv1a(line.bytes, line.from, line.to)}`,
      path: line.path,
      offset: line.offset,
    });
  }

  private mayTell(signature: string, at: Instant): boolean {
    const known = this.told.get(signature);
    const isNew = known === undefined || Math.abs(at - known.since) >= perSignatureMs;
    const lines = isNew ? 0 : known.lines;
    if (lines >= perSignatureMax) return false;
    this.told.set(signature, { since: isNew ? at : known.since, lines: lines + 1 });
    return true;
  }

  private positions({ wall, elapsedMs }: Moment): readonly NodeLogPosition[] {
    return [...this.tails.values()].flatMap((tail) => {
      const position = tail.position(everybodys, undefined);
      if (position === undefined) return [];
      const { path, device, inode, mark, offset, readAt, unreadable } = position;
      this.unread.is(path, unreadable);
      const read = readAt === undefined ? {} : { readAt: Math.round(wall - (elapsedMs - readAt)) };
      const bad = unreadable === undefined ? {} : { unreadable };
      return [{ node: this.known.node, path, device, inode, mark, offset, ...read, ...bad }];
    });
  }

  /** Once for each kind, however many lines there are. */
  private warn(why: string, path: string, line: string): void {
    if (this.warned.has(`${path} ${why}`)) return;
    this.warned.add(`${path} ${why}`);
    this.parts.log.warn({ node: this.known.node, path, line, why }, "lines of this node's log concern nobody");
  }
}
