/**
 * lane-log: one open file, seen through its lane.
 *
 * Gives     what the last sweep saw of it, and the bytes that were read along; anything else costs a call.
 * Fails     `NotNow` when the last sweep has not come so far; an error when the thread that had opened it was left alone: it is
 *           opened anew by its name.
 */
import { type Look, type Looked, NotNow, type OpenLog } from "../source.ts";
import type { Lane } from "./lane.ts";
import { answer, answerWidth, ask, askWidth, lookAgain, looked, lookIn, operation } from "./shared.ts";

/** As often as a name may be given to another file. */
const nameEveryMs = 1_000;

export class LaneLog implements OpenLog {
  readonly path: string;
  readonly lane: Lane;
  readonly file: number;
  private readonly generation: number;
  private readonly closed: (log: LaneLog) => void;
  /** In milliseconds of the lane's clock, as `namedAt` is. */
  private lookAt = Number.NEGATIVE_INFINITY;
  private expected = -1;
  /** Its place in the last sweep; undefined: not in it, or the sweep is still on its way. */
  private slot: number | undefined;
  private seen: Look;
  /** No sweep has been since it was opened. */
  private isFresh = true;
  private namedAt: number;
  private named: Looked | undefined;

  constructor(
    lane: Lane,
    opened: { readonly path: string; readonly file: number; readonly look: Look },
    elapsedMs: number,
    closed: (log: LaneLog) => void,
  ) {
    this.lane = lane;
    this.path = opened.path;
    this.file = opened.file;
    this.seen = opened.look;
    this.generation = lane.generation;
    this.namedAt = elapsedMs;
    this.closed = closed;
  }

  isDue(elapsedMs: number): boolean {
    return elapsedMs >= this.lookAt && this.generation === this.lane.generation;
  }

  expect(offset: number, inMs: number): void {
    this.expected = offset;
    this.lookAt = inMs === 0 ? Number.NEGATIVE_INFINITY : this.lane.elapsed() + inMs;
  }

  /** Writes what the sweep is to look at. */
  ask(slot: number, elapsedMs: number): void {
    const to = slot * askWidth;
    const { asks } = this.lane.shared;
    const byName = elapsedMs - this.namedAt >= nameEveryMs;
    if (byName) this.namedAt = elapsedMs;
    asks[to + ask.file] = this.file;
    asks[to + ask.expected] = this.expected;
    asks[to + ask.byName] = byName ? 1 : 0;
  }

  /** @param slot Absent: the last sweep does not have it. */
  swept(slot?: number): void {
    this.slot = slot;
    this.isFresh = false;
    if (slot === undefined) return;
    const { answers } = this.lane.shared;
    const begin = slot * answerWidth + answer.named;
    switch (answers[begin]) {
      case looked.notAsked:
        return;
      case looked.seen:
        this.named = { kind: "seen", look: lookIn(answers, begin) };
        return;
      default:
        this.named = { kind: "absent" };
    }
  }

  /** What had its name about a second ago; undefined: nobody has looked yet. */
  get lookedByName(): Looked | undefined {
    return this.named;
  }

  look(): Look {
    this.mustBeOpen();
    if (this.isFresh) return this.seen;
    if (this.slot === undefined) throw new NotNow();
    const { answers } = this.lane.shared;
    const begin = this.slot * answerWidth + answer.own;
    if (answers[begin] !== looked.seen) throw new Error(`${this.path}: the open file can no longer be looked at`);
    this.seen = lookAgain(answers, begin, this.seen);
    return this.seen;
  }

  read(into: Uint8Array, offset: number): number {
    this.mustBeOpen();
    const ahead = this.readAhead(into, offset);
    if (ahead !== undefined) return ahead;
    const { lane, path } = this;
    const most = Math.min(into.length, lane.shared.data.length);
    const bytes = lane.call({ operation: operation.read, path, numbers: [this.file, offset, most] });
    into.set(lane.shared.data.subarray(0, bytes));
    return bytes;
  }

  close(): void {
    this.closed(this);
  }

  /** Bytes that came with the sweep: all that are asked for, or all up to the end of the file. */
  private readAhead(into: Uint8Array, offset: number): number | undefined {
    if (this.slot === undefined) return undefined;
    const { answers, arena } = this.lane.shared;
    const begin = this.slot * answerWidth;
    const [from, bytes] = [answers[begin + answer.aheadFrom]!, answers[begin + answer.aheadBytes]!];
    const end = from + bytes;
    const reachesEnd = end >= answers[begin + answer.size]!;
    if (bytes === 0 || offset < from || offset > end || !(reachesEnd || offset + into.length <= end)) return undefined;
    const at = answers[begin + answer.aheadAt]! + offset - from;
    const given = Math.min(into.length, end - offset);
    into.set(arena.subarray(at, at + given));
    return given;
  }

  private mustBeOpen(): void {
    const why = this.lane.why(this.path);
    if (why !== undefined) throw new Error(why);
    if (this.generation !== this.lane.generation)
      throw new Error(`${this.path}: another file of its file system hangs; it is opened anew`);
  }
}
