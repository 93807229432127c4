/**
 * logs: the shared file system that the jobs write to and the watcher reads: late, in halves, emptied, rotated.
 *
 * Takes   whole lines of a program, in order.
 * Keeps   the order within a file. What is still on its way when the file is emptied by the next attempt never arrives.
 */
import type { LogSource } from "@reprise/watcher/source/source.ts";
import { createMemorySource, type MemorySource } from "@reprise/watcher/source/memory/memory-source.ts";
import type { Lots } from "./chance.ts";
import type { WorldClock } from "./clock.ts";
import type { FaultKind } from "./fault-kinds.ts";

/** Of each write; 0 to 1. */
export interface LogFaults {
  readonly late: number;
  readonly lateMaxMs: number;
  readonly half: number;
}

export const prompt: LogFaults = { late: 0, lateMaxMs: 0, half: 0 };

export class Logs {
  readonly source: LogSource;
  private readonly files: MemorySource;
  private readonly world: WorldClock;
  private readonly chance: Lots;
  private readonly faults: () => LogFaults;
  private readonly onWrite: (path: string) => void;
  private readonly onFault: (kind: FaultKind) => void;
  /** Of each file: until when writes are on their way, and which life of the file they belong to. */
  private readonly ways = new Map<string, { busyUntil: number; life: number }>();

  constructor(
    world: WorldClock,
    chance: Lots,
    faults: () => LogFaults,
    onWrite: (path: string) => void,
    onFault: (kind: FaultKind) => void,
  ) {
    this.world = world;
    this.chance = chance;
    this.faults = faults;
    this.onWrite = onWrite;
    this.onFault = onFault;
    this.files = createMemorySource(world);
    this.source = this.files;
  }

  /** An attempt begins: Slurm opens its log. */
  begin(path: string, how: "truncate" | "append"): void {
    if (how === "truncate") this.truncate(path);
    else this.files.append(path, "");
    this.onWrite(path);
  }

  truncate(path: string): void {
    this.wayOf(path).life++;
    this.wayOf(path).busyUntil = 0;
    this.files.truncate(path);
    this.onWrite(path);
  }

  /** The program gives its log another name, and goes on in a new file. */
  rotate(path: string, to: string): void {
    if (this.files.size(path) > 0) this.files.rename(path, to);
    this.files.append(path, "");
    this.onWrite(path);
  }

  /** Nobody may read it any more; the program goes on writing. */
  refuse(path: string, why: string): void {
    this.files.refuse(path, why);
    this.onWrite(path);
  }

  print(path: string, ...lines: readonly string[]): void {
    const text = `${lines.join("\n")}\n`;
    const f = this.faults();
    const way = this.wayOf(path);
    let [at, first] = [this.world.now(), text.length];
    if (f !== prompt && this.chance.yes(f.late)) {
      this.onFault("log late");
      at += Math.round(this.chance.spread(1, f.lateMaxMs));
    }
    if (f !== prompt && this.chance.yes(f.half)) {
      this.onFault("log in halves");
      first = this.chance.int(1, text.length - 1);
    }
    this.write(path, text.slice(0, first), Math.max(at, way.busyUntil));
    if (first < text.length)
      this.write(path, text.slice(first), Math.max(at, way.busyUntil) + this.chance.int(1, 2_000));
  }

  private write(path: string, text: string, at: number): void {
    const way = this.wayOf(path);
    way.busyUntil = at > this.world.now() ? at : 0;
    if (at <= this.world.now()) {
      this.files.append(path, text);
      this.onWrite(path);
      return;
    }
    const { life } = way;
    this.world.at(at, () => {
      if (way.life !== life) return;
      this.files.append(path, text);
      this.onWrite(path);
    });
  }

  private wayOf(path: string): { busyUntil: number; life: number } {
    const known = this.ways.get(path);
    if (known !== undefined) return known;
    const way = { busyUntil: 0, life: 0 };
    this.ways.set(path, way);
    return way;
  }
}
