/**
 * disk: the local disk of one SAC host: the journal, the small files beside it, the locks.
 *
 * Keeps   what was fsynced survives everything. A small file is written and renamed without an fsync of its folder: when the whole host
 *         crashes soon after, the one before may be back. Locks are the kernel's: they go with their process.
 * Fails   while the disk is full nothing can be written: appending and beating throw, as the real ones do.
 */
import type { Beside, WatchdogBeat } from "@reprise/sac/beside.ts";
import type { Entry, JournalFile } from "@reprise/sac/journal.ts";
import { type FenceLevel, ordersFile } from "@reprise/sac/slurm/command/fence-file.ts";
import { type ClusterOrders, whyNothingNew } from "@reprise/core/mode/cluster-orders.ts";
import type { Heartbeat } from "@reprise/core/watchdog/stranded.ts";
import type { WorldClock } from "./clock.ts";
import type { Lots } from "./chance.ts";

/** A rename that is not followed by an fsync of the folder reaches the disk within about this. */
const renameMs = 5_000;

/** Its contents as a value: whoever writes one never changes it afterwards. */
interface SmallFile {
  now: object;
  before: object | undefined;
  writtenAt: number;
}

export class HostDisk {
  isFull = false;
  isKillSwitchOn = false;
  /** Everything that was ever appended to the journal, write by write, torn lines too. */
  private readonly written: string[] = [];
  /** The entries in it, parsed once, for checkers. */
  readonly entries: Entry[] = [];
  /** Of each source attempt: the generation of its last step, until that is finished. */
  private readonly open = new Map<string, number>();
  private readonly small = new Map<string, SmallFile>();
  private readonly locks = new Map<string, string>();
  private readonly clock: WorldClock;
  private readonly listeners: ((entry: Entry) => void)[] = [];

  constructor(clock: WorldClock) {
    this.clock = clock;
  }

  onEntry(listener: (entry: Entry) => void): void {
    this.listeners.push(listener);
  }

  /** Something was begun that is not finished. */
  isAnythingOpen(): boolean {
    return this.open.size > 0;
  }

  /** The journal as one program has it open. */
  journalFile(): JournalFile {
    let readTo = 0;
    let rest = "";
    return {
      append: (line) => this.append(line),
      readNew: () => {
        if (readTo === this.written.length) return [];
        const lines = (rest + this.written.slice(readTo).join("")).split("\n");
        readTo = this.written.length;
        rest = lines.pop() ?? "";
        return lines.filter((line) => line !== "");
      },
    };
  }

  private append(line: string): void {
    if (this.isFull) throw new Error("ENOSPC: no space left on device, write");
    this.written.push(`${this.isTorn() ? "\n" : ""}${line}\n`);
    const entry = JSON.parse(line) as Entry;
    this.entries.push(entry);
    if (entry.kind === "begin") this.open.set(entry.work.heimdallJobId, entry.work.generation);
    else if (entry.kind === "finish" && entry.generation >= (this.open.get(entry.heimdallJobId) ?? Infinity))
      this.open.delete(entry.heimdallJobId);
    for (const listener of this.listeners) listener(entry);
  }

  /** A process died while it wrote: half a line is there. */
  tear(text: string): void {
    if (!this.isTorn()) this.written.push(text);
  }

  private isTorn(): boolean {
    return this.written.at(-1)?.endsWith("\n") === false;
  }

  beside(): Beside {
    const read = <T>(name: string): T | undefined => {
      return this.small.get(name)?.now as T | undefined;
    };
    const fence = () => this.fence() ?? { leaseTerm: 0, epoch: 0 };
    return {
      heartbeat: () => read<Heartbeat>("sac.json"),
      beat: (heartbeat) => this.write("sac.json", heartbeat),
      watchdogBeat: () => read<WatchdogBeat>("watchdog.json"),
      beatWatchdog: (beat) => this.write("watchdog.json", beat),
      fence,
      raiseFence: (raised) => {
        const now = fence();
        const next = {
          leaseTerm: Math.max(now.leaseTerm, raised.leaseTerm ?? 0),
          epoch: Math.max(now.epoch, raised.epoch ?? 0),
        };
        if (next.leaseTerm !== now.leaseTerm || next.epoch !== now.epoch) this.write("fence.json", next);
        return next;
      },
      orders: () => read<ClusterOrders>(ordersFile),
      keepOrders: (orders) => this.write(ordersFile, orders),
      isKillSwitchOn: () => this.isKillSwitchOn,
    };
  }

  /** As a command's child reads it. */
  whyStopped(): string | undefined {
    return whyNothingNew(this.isKillSwitchOn, this.small.get(ordersFile)?.now as ClusterOrders | undefined);
  }

  fence(): FenceLevel | undefined {
    return this.small.get("fence.json")?.now as FenceLevel | undefined;
  }

  tryLock(name: string, holder: string): { release(): void } | undefined {
    if (this.locks.has(name)) return undefined;
    this.locks.set(name, holder);
    return { release: () => void (this.locks.get(name) === holder && this.locks.delete(name)) };
  }

  /** A process has ended: the kernel closes its files. */
  unlock(holder: string): void {
    for (const [name, by] of this.locks) if (by === holder) this.locks.delete(name);
  }

  /** Power lost: what was only renamed a moment ago may be as before. */
  lose(chance: Lots): void {
    for (const [name, file] of this.small) {
      if (this.clock.now() - file.writtenAt > renameMs || !chance.yes(0.5)) continue;
      if (file.before === undefined) this.small.delete(name);
      else file.now = file.before;
    }
    this.locks.clear();
  }

  private write(name: string, value: object): void {
    if (this.isFull) throw new Error("ENOSPC: no space left on device, write");
    const file = this.small.get(name);
    this.small.set(name, { now: value, before: file?.now, writtenAt: this.clock.now() });
  }
}
