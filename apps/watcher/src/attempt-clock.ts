/**
 * attempt-clock: the time in which one attempt is watched.
 *
 * Gives   `now`: the time of the host when the watch began, and what has passed since: nobody can set it, so what is between two of its
 *         instants has really passed. `told`: what such an instant is called where others see it.
 * Keeps   what is told never goes back, and it follows a clock that was set forward only while nobody measures a silence in it: the
 *         server compares the time of a fatal line with that up to which was read (decision 0010).
 * Source  docs/decisions/0029
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { LogPosition, ReportedSignal } from "./server.ts";

/** One look at both clocks of a host. */
export interface Moment {
  readonly wall: Instant;
  /** Of the clock that nobody can set (ms). */
  readonly elapsedMs: number;
}

/** Taken right before what is read is dated by it: behind an await it may be long past. */
export const lookAt = (clock: Pick<Clock, "now" | "elapsed">): Moment => ({
  wall: clock.now(),
  elapsedMs: clock.elapsed(),
});

/** Below it a clock is only slewed. */
const setMinMs = 1_000;

export class AttemptClock {
  private readonly aheadMs: number;
  private toldAheadMs: number;

  constructor({ wall, elapsedMs }: Moment) {
    this.aheadMs = wall - elapsedMs;
    this.toldAheadMs = this.aheadMs;
  }

  now({ elapsedMs }: Pick<Moment, "elapsedMs">): Instant {
    return Math.round(elapsedMs + this.aheadMs);
  }

  /** Nothing waits for a silence just now. */
  follow({ wall, elapsedMs }: Moment): void {
    if (wall - elapsedMs - this.toldAheadMs >= setMinMs) this.toldAheadMs = wall - elapsedMs;
  }

  told(at: Instant): Instant {
    return at + Math.round(this.toldAheadMs - this.aheadMs);
  }

  /** What others call `told`, as an instant of this watch. */
  meant(told: Instant): Instant {
    return told - Math.round(this.toldAheadMs - this.aheadMs);
  }
}

/** The same with the times that others see. */
export function signalToldBy(clock: AttemptClock, signal: ReportedSignal): ReportedSignal {
  const { at, evidence } = signal;
  return { ...signal, at: clock.told(at), evidence: { ...evidence, at: clock.told(evidence.at) } };
}

export function positionToldBy(clock: AttemptClock, position: LogPosition): LogPosition {
  const { readAt } = position;
  return readAt === undefined ? position : { ...position, readAt: clock.told(readAt) };
}
