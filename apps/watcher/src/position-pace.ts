/**
 * position-pace: how often it is told how far the logs of an attempt were read.
 *
 * In the loop   a pass over the tails → **is there a report of positions?** → server
 * Keeps         whoever waits for an answer gets it at once: after a fatal line at every pass; after any other signal, a silence or the end
 *               every two seconds. Where nobody waits and no position has moved, a later time of reading says nothing new.
 * Source        docs/decisions/0010, 0034
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { LogPosition, ReportedSignal } from "./server.ts";

/** At every pass over the tails. */
const fatalEveryMs = 200;
const everyMs = 2_000;
/** What its detectors have learnt is kept so often. After a crash of the watcher at most so much silence is counted anew. */
const quietEveryMs = 60_000;
/** So long after a signal, and after the first look, somebody may wait for what the log says next. */
const awaitedMs = 120_000;

/** What is known of who waits. */
export interface Awaited {
  /** A fatal line was read, and no further steps since. */
  readonly isFatalPending: boolean;
  readonly isAnswerPending: boolean;
}

export class PositionPace {
  private lookedAt = Number.NEGATIVE_INFINITY;
  private toldAt = Number.NEGATIVE_INFINITY;
  /** What an earlier reader told may be waited upon when this one begins. */
  private awaitedUntil: Instant;
  private told: readonly LogPosition[] = [];

  constructor(beginsAt: Instant) {
    this.awaitedUntil = beginsAt + awaitedMs;
  }

  /** The positions are to be looked at. */
  isDue(now: Instant, { isFatalPending }: Awaited): boolean {
    return now - this.lookedAt >= (isFatalPending ? fatalEveryMs : everyMs);
  }

  /** They are to be told though no signal is. */
  isNews(now: Instant, positions: readonly LogPosition[], { isFatalPending, isAnswerPending }: Awaited): boolean {
    this.lookedAt = now;
    const isAwaited = isFatalPending || isAnswerPending || now < this.awaitedUntil;
    return isAwaited || now - this.toldAt >= quietEveryMs || !areSame(positions, this.told);
  }

  telling(now: Instant, positions: readonly LogPosition[], signals: readonly Pick<ReportedSignal, "kind">[]): void {
    this.told = positions;
    this.lookedAt = this.toldAt = now;
    if (signals.some(({ kind }) => kind !== "progress")) this.awaitedUntil = now + awaitedMs;
  }
}

/** But for when they were read. */
function areSame(some: readonly LogPosition[], others: readonly LogPosition[]): boolean {
  return some.length === others.length && some.every((position, i) => isSame(position, others[i]!));
}

const isSame = (a: LogPosition, b: LogPosition): boolean =>
  a.path === b.path &&
  a.inode === b.inode &&
  a.start === b.start &&
  a.offset === b.offset &&
  a.ended === b.ended &&
  a.unreadable === b.unreadable;
