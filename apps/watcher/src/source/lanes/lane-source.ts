/**
 * lane-source: logs on real file systems, read by polling, each file system by a thread of its own.
 *
 * Writes    nothing.
 * Keeps     one hung mount stops nobody else: see `lane.ts`.
 * Bound     `lanesMax` threads that work, whatever the number of mounts; `slotsMax` files each.
 * Source    docs/decisions/0021: why threads.
 */
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { OpenedFile } from "../file/log-files.ts";
import { type Looked, type LogSource, NotNow, type Opened } from "../source.ts";
import { Lane, type LaneParts, type LaneThread } from "./lane.ts";
import { LaneLog } from "./lane-log.ts";
import { mountOf, mountsIn } from "./mounts.ts";
import { createShared, operation, type Shared, slotsMax, textIn } from "./shared.ts";

const lanesMax = 8;
const mountsEveryMs = 10_000;

/** So that a slow file system costs the others' logs no more than a pass. */
const patienceMs = 200;

/** It holds nothing but what one call needs; V8 would let its garbage grow to hundreds of megabytes. */
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };

export interface LaneSourceParts extends LaneParts {
  /** The text of `/proc/self/mountinfo`. */
  readonly mountinfo: () => string;
}

export interface FileSource extends LogSource {
  /** @returns whether a call hangs: a process with such a thread does not end by itself. */
  close(): boolean;
}

export function createFileSource(clock: LaneParts["clock"]): FileSource {
  const file = new URL("./lane-thread.main.ts", import.meta.url);
  return createLaneSource({ clock, startThread: () => startThread(file, {}), mountinfo: readMountinfo, patienceMs });
}

/** @param file A program that serves what `workerData` shares with it. */
export function startThread(file: URL, more: object): LaneThread {
  const shared = createShared();
  const worker = new Worker(file, { workerData: { ...shared, ...more }, resourceLimits });
  return { shared, end: () => void worker.terminate() };
}

export function createLaneSource(parts: LaneSourceParts): FileSource {
  const source = new LaneSource(parts);
  return {
    refresh: () => source.refresh(),
    open: (path) => source.open(path),
    look: (path) => source.look(path),
    names: (folder) => source.names(folder),
    close: () => source.close(),
  };
}

class LaneSource {
  private readonly parts: LaneSourceParts;
  private readonly lanes = new Map<string, Lane>();
  private readonly logs = new Map<Lane, Set<LaneLog>>();
  /** Those that are open, the newest last: a file may be read twice at a time. */
  private readonly byPath = new Map<string, readonly LaneLog[]>();
  private readonly toClose: { readonly lane: Lane; readonly file: number }[] = [];
  private mounts: readonly string[] = ["/"];
  private mountsAt = Number.NEGATIVE_INFINITY;

  constructor(parts: LaneSourceParts) {
    this.parts = parts;
  }

  async refresh(): Promise<void> {
    for (const lane of this.logs.keys()) lane.begin();
    this.closeFiles();
    await Promise.all([...this.logs].map(([lane, logs]) => this.sweep(lane, logs)));
  }

  open(path: string): Opened {
    const lane = this.laneOf(path);
    const why = lane.why(path);
    if (why !== undefined) return { kind: "unreadable", why };
    const forget = (result: number, shared: Shared) => {
      const late = result < 0 ? undefined : (JSON.parse(textIn(shared.data, result)) as OpenedFile);
      if (late?.kind === "open") this.toClose.push({ lane, file: late.file });
    };
    const opened = JSON.parse(lane.text(lane.call({ operation: operation.open, path }, forget))) as OpenedFile;
    if (opened.kind !== "open") return opened;
    const log = new LaneLog(lane, { path, ...opened }, this.parts.clock.elapsed(), (l) => this.closeLog(l));
    this.logs.get(lane)!.add(log);
    this.byPath.set(path, [...(this.byPath.get(path) ?? []), log]);
    return { kind: "open", log };
  }

  look(path: string): Looked {
    const known = this.byPath.get(path)?.findLast((log) => log.lookedByName !== undefined)?.lookedByName;
    if (known !== undefined) return known;
    const lane = this.laneOf(path);
    const why = lane.why(path);
    if (why !== undefined) return { kind: "unreadable", why };
    return JSON.parse(lane.text(lane.call({ operation: operation.look, path }))) as Looked;
  }

  names(folder: string): readonly string[] | undefined {
    const lane = this.laneOf(folder);
    try {
      return (
        (JSON.parse(lane.text(lane.call({ operation: operation.names, path: folder }))) as readonly string[] | null) ??
        undefined
      );
    } catch {
      // Hung or failing is not "no such folder": a file that is found later would count as one that was born since.
      throw new NotNow();
    }
  }

  close(): boolean {
    const hanging = [...this.logs.keys()].filter((lane) => lane.end());
    this.lanes.clear();
    this.logs.clear();
    this.byPath.clear();
    return hanging.length > 0;
  }

  private async sweep(lane: Lane, logs: ReadonlySet<LaneLog>): Promise<void> {
    for (const log of logs) log.swept();
    if (lane.isBusy) return;
    const now = this.parts.clock.elapsed();
    const due: LaneLog[] = [];
    for (const log of logs) {
      if (due.length === slotsMax) break;
      if (log.isDue(now)) log.ask(due.push(log) - 1, now);
    }
    if (due.length > 0 && (await lane.sweep(due.length, (slot) => due[slot]?.path ?? "")))
      due.forEach((log, slot) => log.swept(slot));
  }

  private laneOf(path: string): Lane {
    const now = this.parts.clock.elapsed();
    if (now - this.mountsAt >= mountsEveryMs) {
      this.mountsAt = now;
      this.mounts = mountsIn(this.parts.mountinfo());
    }
    const mount = mountOf(path, this.mounts);
    const known = this.lanes.get(mount);
    if (known !== undefined) return known;
    const working = [...this.logs.keys()];
    const lane = working.length < lanesMax ? new Lane(this.parts) : working[this.lanes.size % lanesMax]!;
    this.lanes.set(mount, lane);
    if (!this.logs.has(lane)) this.logs.set(lane, new Set());
    return lane;
  }

  private closeLog(log: LaneLog): void {
    this.logs.get(log.lane)?.delete(log);
    const others = (this.byPath.get(log.path) ?? []).filter((one) => one !== log);
    if (others.length === 0) this.byPath.delete(log.path);
    else this.byPath.set(log.path, others);
    this.toClose.push({ lane: log.lane, file: log.file });
  }

  /** Closing may hang too. */
  private closeFiles(): void {
    for (const { lane, file } of this.toClose.splice(0)) {
      if (lane.isBusy) {
        this.toClose.push({ lane, file });
        continue;
      }
      try {
        lane.call({ operation: operation.close, path: "", numbers: [file, 0, 0] });
      } catch (error) {
        // Busy now: it is on its way.
        if (error instanceof NotNow && !lane.isBusy) this.toClose.push({ lane, file });
      }
    }
  }
}

function readMountinfo(): string {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8");
  } catch {
    return ""; // Not Linux: one lane for all.
  }
}
