/** memory: parts of SAC that keep nothing outside this process, for tests. */
import type { Log } from "@reprise/runtime/life.ts";
import type { Beside, WatchdogBeat } from "../beside.ts";
import type { Heartbeat } from "@reprise/core/watchdog/stranded.ts";

export const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export function memoryBeside(): Beside {
  let heartbeat: Heartbeat | undefined;
  let watchdog: WatchdogBeat | undefined;
  let fence = { leaseTerm: 0, epoch: 0 };
  return {
    heartbeat: () => heartbeat,
    beat: (next) => void (heartbeat = next),
    watchdogBeat: () => watchdog,
    beatWatchdog: (next) => void (watchdog = next),
    fence: () => fence,
    raiseFence: (raised) =>
      (fence = {
        leaseTerm: Math.max(fence.leaseTerm, raised.leaseTerm ?? 0),
        epoch: Math.max(fence.epoch, raised.epoch ?? 0),
      }),
    isKillSwitchOn: () => false,
  };
}
