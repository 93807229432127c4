/** memory: parts of SAC that keep nothing outside this process, for tests. */
import type { ClusterOrders } from "@reprise/core/mode/cluster-orders.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Beside, WatchdogBeat } from "../beside.ts";
import type { JournalFile } from "../journal.ts";
import type { Heartbeat } from "@reprise/core/watchdog/stranded.ts";

export const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export function memoryBeside(): Beside {
  let heartbeat: Heartbeat | undefined;
  let watchdog: WatchdogBeat | undefined;
  let orders: ClusterOrders | undefined;
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
    orders: () => orders,
    keepOrders: (next) => void (orders = next),
    isKillSwitchOn: () => false,
  };
}

/** @param lines What is on it: all that a process which starts anew finds. */
export function memoryDisk(lines: string[]): JournalFile {
  let read = 0;
  return {
    append: (line) => void lines.push(line),
    readNew: () => {
      const fresh = lines.slice(read);
      read = lines.length;
      return fresh;
    },
  };
}
