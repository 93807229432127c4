/**
 * heat: how soon a file is looked at again.
 *
 * Gives     a file that has grown within `warmForMs` is due at each pass, one that was silent for longer every `coldEveryMs`.
 * Bound     never less often than once a second: the first fatal line after a long silence is as urgent as any.
 */
import type { Instant } from "@reprise/core/nouns.ts";

export const warmForMs = 60_000;
/** At the fourth pass of the watcher, and the looks before it are as fresh. */
export const coldEveryMs = 700;

export class Heat {
  private grewAt: Instant | undefined;
  private lookedAt: Instant = Number.NEGATIVE_INFINITY;

  isDue(now: Instant): boolean {
    return this.dueInMs(now) === 0;
  }

  dueInMs(now: Instant): number {
    return now - (this.grewAt ?? now) < warmForMs ? 0 : Math.max(0, this.lookedAt + coldEveryMs - now);
  }

  looked(now: Instant, hasGrown: boolean): void {
    this.lookedAt = now;
    if (hasGrown || this.grewAt === undefined) this.grewAt = now;
  }
}
