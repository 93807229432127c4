/**
 * beside: the small files that SAC and the watchdog leave beside the journal for each other.
 *
 * Writes   `sac.json` (SAC's heartbeat), `watchdog.json` (the watchdog's), the fence (`fence.json`: SAC's lease term; `epoch.json`: the
 *          watchdog's; read by every command child), each by write-and-rename; `orders.json` (SAC's: what people have ordered about the
 *          cluster, as it was last told; read by every child as well); `kill-switch` is made by a person: while it exists nothing new is begun.
 * Keeps    a reader sees a whole file or the one before; a file that cannot be read is `undefined`, never a guess.
 */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterOrders } from "@reprise/core/mode/cluster-orders.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Heartbeat, Silence } from "@reprise/core/watchdog/stranded.ts";
import {
  fenceFiles,
  type FenceLevel,
  isKillSwitchOn,
  ordersFile,
  readFence,
  readSmall,
} from "./slurm/command/fence-file.ts";

export interface WatchdogBeat {
  readonly at: Instant;
  readonly mode: "observe" | "act";
  /** The last look that Slurm answered. Absent: none yet. */
  readonly lookOkAt?: Instant;
  /** The last ones of slurmctld, for the next watchdog. */
  readonly silences?: readonly Silence[];
}

export interface Beside {
  heartbeat(): Heartbeat | undefined;
  beat(heartbeat: Heartbeat): void;
  watchdogBeat(): WatchdogBeat | undefined;
  beatWatchdog(beat: WatchdogBeat): void;
  fence(): FenceLevel;
  /** A command whose term or epoch is lower than the fence's is not sent. SAC raises the term, under the lock; the watchdog the epoch. */
  raiseFence(raised: Partial<FenceLevel>): FenceLevel;
  /** Undefined: none was ever taken here. */
  orders(): ClusterOrders | undefined;
  keepOrders(orders: ClusterOrders): void;
  isKillSwitchOn(): boolean;
}

export function openBeside(stateDir: string): Beside {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const read = <T>(name: string): T | undefined => readSmall<T>(stateDir, name);
  const write = (name: string, value: object) => {
    const next = join(stateDir, `${name}.${process.pid}.new`);
    writeFileSync(next, JSON.stringify(value), { mode: 0o600, flush: true });
    renameSync(next, join(stateDir, name));
  };
  const fence = (): FenceLevel => readFence(stateDir) ?? { leaseTerm: 0, epoch: 0 };
  return {
    heartbeat: () => read<Heartbeat>("sac.json"),
    beat: (heartbeat) => write("sac.json", heartbeat),
    watchdogBeat: () => read<WatchdogBeat>("watchdog.json"),
    beatWatchdog: (beat) => write("watchdog.json", beat),
    fence,
    raiseFence(raised) {
      const now = fence();
      for (const key of ["leaseTerm", "epoch"] as const)
        if ((raised[key] ?? 0) > now[key]) write(fenceFiles[key], { [key]: raised[key] });
      return fence();
    },
    orders: () => read<ClusterOrders>(ordersFile),
    keepOrders: (orders) => write(ordersFile, orders),
    isKillSwitchOn: () => isKillSwitchOn(stateDir),
  };
}
