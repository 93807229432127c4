/**
 * run-watchdog: the watchdog at work: one pass after the other.
 *
 * Keeps   when whoever started it is gone it stays until nothing of ours is held, and ends then.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Life } from "@reprise/runtime/life.ts";
import type { WatchdogConfig } from "./config.ts";
import { newWatchdogState, type WatchdogParts, type WatchdogState, watchOnce } from "./loops/watch-once.ts";
import type { WatchdogStanding } from "./sac-metrics.ts";

/**
 * @param orphaned Aborted when whoever started the watchdog has gone. Its own `life.signal` ends it at once.
 * @param state    What it remembers between passes; given where somebody else tells of it.
 */
export async function runWatchdog(
  parts: WatchdogParts,
  pollMs: number,
  life: Life,
  orphaned?: AbortSignal,
  state: WatchdogState = newWatchdogState(life.clock, parts.beside.watchdogBeat()?.silences),
): Promise<void> {
  const { clock, log } = life;
  const either = orphaned === undefined ? life.signal : AbortSignal.any([life.signal, orphaned]);
  while (!life.signal.aborted) {
    const isAnythingHeld = await watchOnce(parts, state).then(
      (result) => result.isAnythingHeld,
      (error: unknown) => {
        log.error({ error: String(error) }, "a pass of the watchdog failed; the next one comes");
        return true;
      },
    );
    if (orphaned?.aborted === true && !isAnythingHeld) return;
    await clock.sleep(pollMs, orphaned === undefined || orphaned.aborted ? life.signal : either);
  }
}

/** For metrics. */
export function watchdogStanding(
  { mode }: Pick<WatchdogConfig, "mode">,
  { lookOkAt, found }: WatchdogState,
  now: Instant,
): WatchdogStanding {
  return { mode, ...(lookOkAt === undefined ? {} : { lookAgeMs: now - lookOkAt }), ...found };
}
