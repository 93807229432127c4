/**
 * lane: one file system, asked by a thread of its own.
 *
 * In the loop   sweep (every file at once, awaited) → looks and reads (at once, waited for a little)
 * Keeps         the watcher never waits for a file system longer than `patienceMs` a pass. Who has no answer yet hears `NotNow`:
 *               nothing is known, nothing has changed. A file that a call has hung on for `answerMaxMs` is `unreadable`, and a new
 *               thread goes on with the others; when the old one comes back, so does its file.
 * Bound         `stuckMax` threads that hang; after that the whole file system is unreadable until one of them answers.
 * Fails         `NotNow`; or an error that says what the file system said.
 */
import { NotNow } from "../source.ts";
import { at, operation, putText, type Shared, textIn } from "./shared.ts";

export interface LaneThread {
  readonly shared: Shared;
  end(): void;
}

export interface LaneParts {
  /** The one that nobody can set. */
  readonly clock: { elapsed(): number };
  readonly startThread: () => LaneThread;
  /** How long a pass waits for one file system. */
  readonly patienceMs: number;
}

/** What one thread is asked, and about which file. */
export interface Call {
  readonly operation: number;
  readonly path: string;
  /** Absent: the path is sent. */
  readonly numbers?: readonly number[];
}

const answerMaxMs = 5_000;
const stuckMax = 3;

interface Pending {
  readonly since: number;
  /** The file that the thread is at just now. */
  readonly path: () => string;
  /** What to do with an answer that nobody waits for any more. */
  readonly late: Late;
}

/** @param result What the operation counts; its text is in `shared`. */
type Late = (result: number, shared: Shared) => void;

interface Asked {
  readonly thread: LaneThread;
  readonly pending: Pending;
}

export class Lane {
  private readonly parts: LaneParts;
  private thread: LaneThread;
  /** Of a lane whose threads all hang nobody asks anything. */
  private isAsked = true;
  private pending: Pending | undefined;
  private readonly stuck = new Map<string, Asked>();
  private leftMs = 0;
  /** Counts the threads: what one has opened, the next does not know. */
  generation = 0;

  constructor(parts: LaneParts) {
    this.parts = parts;
    this.thread = parts.startThread();
    this.leftMs = parts.patienceMs;
  }

  elapsed(): number {
    return this.parts.clock.elapsed();
  }

  /** Somebody still waits for an answer, or nobody is left to ask. */
  get isBusy(): boolean {
    return this.pending !== undefined || !this.isAsked;
  }

  get shared(): Shared {
    return this.thread.shared;
  }

  /** A new pass begins: patience is new, and who has hung for too long is left alone. */
  begin(): void {
    this.leftMs = this.parts.patienceMs;
    for (const [path, asked] of this.stuck) {
      if (!hasAnswered(asked.thread)) continue;
      asked.pending.late(resultOf(asked.thread), asked.thread.shared);
      asked.thread.end();
      this.stuck.delete(path);
    }
    if (!this.isAsked && this.stuck.size <= stuckMax) this.startAnew();
    this.settle();
    if (this.pending !== undefined && this.elapsed() - this.pending.since >= answerMaxMs) this.leave(this.pending);
  }

  /** Everything about this file hangs. */
  why(path: string): string | undefined {
    if (this.stuck.has(path)) return `the file system has not answered for ${answerMaxMs / 1000} s`;
    if (!this.isAsked) return `the file system does not answer: ${this.stuck.size} calls hang`;
    return undefined;
  }

  /**
   * @returns what the operation counts.
   * @throws  NotNow; or an Error with the words of the file system.
   */
  call(call: Call, late: Late = () => undefined): number {
    const why = this.why(call.path);
    if (why !== undefined) throw new Error(why);
    this.settle();
    if (this.pending !== undefined || this.leftMs <= 0) throw new NotNow();
    const { control, data, numbers } = this.shared;
    control[at.operation] = call.operation;
    if (call.numbers === undefined) control[at.count] = putText(data, call.path);
    else numbers.set(call.numbers);
    const since = this.elapsed();
    this.post();
    Atomics.wait(control, at.answer, control[at.request]! - 1, this.leftMs);
    this.leftMs -= this.elapsed() - since;
    if (hasAnswered(this.thread)) return this.checked(resultOf(this.thread));
    this.pending = { since, path: () => call.path, late };
    throw new NotNow();
  }

  /** @param pathOf The file of a slot. @returns whether all were looked at; otherwise they are still being. */
  async sweep(count: number, pathOf: (slot: number) => string): Promise<boolean> {
    if (this.isBusy) return false;
    const { thread } = this;
    const { control } = thread.shared;
    control[at.operation] = operation.sweep;
    control[at.count] = count;
    this.pending = { since: this.elapsed(), path: () => pathOf(control[at.slot]!), late: () => undefined };
    this.post();
    const waiting = Atomics.waitAsync(control, at.answer, control[at.request]! - 1, this.parts.patienceMs);
    if (waiting.async) await waiting.value;
    // Somebody may have settled it in the meantime, or left the thread alone.
    this.settle();
    return this.pending === undefined && this.thread === thread;
  }

  /** Text of the answer to the last call. */
  text(bytes: number): string {
    return textIn(this.shared.data, bytes);
  }

  /** @returns whether a call still hangs: its thread cannot be ended, nor can the process by itself. */
  end(): boolean {
    const threads = [this.thread, ...[...this.stuck.values()].map(({ thread }) => thread)];
    const hangs = threads.some((thread) => !hasAnswered(thread));
    for (const thread of new Set(threads)) thread.end();
    return hangs;
  }

  private post(): void {
    const { control } = this.shared;
    Atomics.add(control, at.request, 1);
    Atomics.notify(control, at.request);
  }

  private settle(): void {
    if (this.pending === undefined || !hasAnswered(this.thread)) return;
    this.pending.late(resultOf(this.thread), this.shared);
    this.pending = undefined;
  }

  private leave(pending: Pending): void {
    this.stuck.set(pending.path(), { thread: this.thread, pending });
    this.pending = undefined;
    this.isAsked = false;
    if (this.stuck.size <= stuckMax) this.startAnew();
  }

  private startAnew(): void {
    this.thread = this.parts.startThread();
    this.isAsked = true;
    this.generation++;
  }

  private checked(result: number): number {
    if (result >= 0) return result;
    throw new Error(textIn(this.shared.data, -1 - result));
  }
}

const hasAnswered = ({ shared: { control } }: LaneThread) => Atomics.load(control, at.answer) === control[at.request];
const resultOf = ({ shared: { control } }: LaneThread) => control[at.result]!;
