/**
 * clock: the one time of a world, as a queue of events; and each host's own idea of it.
 *
 * In the loop   nothing happens by itself: an event is taken, everything that it causes runs to its end, then the next
 * Keeps         events of one instant run in the order in which they were asked for; between two events every promise that can
 *               go on has gone on. So the same world gives the same order on every machine.
 * Bound         `eventsMax` events an instant: a loop that never waits is a bug, and is said.
 */
import type { Instant } from "@reprise/core/nouns.ts";

const eventsMax = 50_000;

export interface Planned {
  readonly at: Instant;
  cancel(): void;
}

class Entry implements Planned {
  readonly at: Instant;
  readonly order: number;
  run: (() => void) | undefined;
  constructor(at: Instant, order: number, run: () => void) {
    this.at = at;
    this.order = order;
    this.run = run;
  }
  cancel(): void {
    this.run = undefined;
  }
}

export class WorldClock {
  private time: Instant;
  private order = 0;
  private heap: Entry[] = [];
  /** Events taken so far. */
  taken = 0;
  /** Something that moves by itself, at instants of its own: Slurm. At one instant it comes first. */
  mover: { nextAt(): Instant | undefined; advance(to: Instant): void } | undefined;

  constructor(at: Instant) {
    this.time = at;
  }

  now(): Instant {
    return this.time;
  }

  /** Times in the past are now. */
  at(at: Instant, run: () => void): Planned {
    const entry = new Entry(Math.max(Math.ceil(at), this.time), this.order++, run);
    push(this.heap, entry);
    return entry;
  }

  after(ms: number, run: () => void): Planned {
    return this.at(this.time + ms, run);
  }

  /** Resolves after so many milliseconds of the true time, whoever has died meanwhile. */
  wait(ms: number): Promise<void> {
    return ms <= 0 ? Promise.resolve() : new Promise((resolve) => this.after(ms, resolve));
  }

  /** Takes events until `end`, or until `isOver` says so after one. */
  async run(end: Instant, isOver: () => boolean = () => false): Promise<void> {
    let sameInstant = 0;
    await settle(0);
    for (let next = this.take(end); next !== undefined; next = this.take(end)) {
      sameInstant = next.at > this.time ? 0 : sameInstant + 1;
      if (sameInstant > eventsMax)
        throw new Error(`more than ${eventsMax} events at one instant: something never waits`);
      this.time = next.at;
      this.taken++;
      next.run();
      await settle(this.taken);
      if (isOver()) return;
    }
    this.time = Math.max(this.time, end);
  }

  private take(end: Instant): { readonly at: Instant; readonly run: () => void } | undefined {
    while (this.heap[0] !== undefined && this.heap[0].run === undefined) pop(this.heap);
    const first = this.heap[0];
    const movesAt = this.mover?.nextAt();
    if (movesAt !== undefined && movesAt <= (first?.at ?? end) && movesAt <= end) {
      const at = Math.max(movesAt, this.time);
      return { at, run: () => this.mover?.advance(at) };
    }
    if (first?.run === undefined || first.at > end) return undefined;
    pop(this.heap);
    return { at: first.at, run: first.run };
  }
}

/**
 * Every promise that can go on goes on: what is asked of `nextTick` from a promise's callback comes when no other promise can go on. Now
 * and then Node's own loop has its turn, too: a rejection that nobody takes is found there.
 */
const settle = (taken: number) =>
  new Promise<void>((resolve) => void (taken % 256 === 0 ? setImmediate(resolve) : process.nextTick(resolve)));

const isBefore = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Entry[], entry: Entry): void {
  let i = heap.length;
  heap.push(entry);
  while (i > 0) {
    const parent = (i - 1) >> 1;
    if (!isBefore(entry, heap[parent]!)) break;
    heap[i] = heap[parent]!;
    i = parent;
  }
  heap[i] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop()!;
  if (heap.length === 0) return;
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
    if (!isBefore(heap[child]!, last)) break;
    heap[i] = heap[child]!;
    i = child;
  }
  heap[i] = last;
}

/** One host: its clock may be ahead or behind, and be stepped. It waits as long as everybody. */
export class Host {
  readonly name: string;
  private readonly world: WorldClock;
  /** How far its clock is ahead of the true time (ms). */
  aheadMs = 0;

  constructor(name: string, world: WorldClock) {
    this.name = name;
    this.world = world;
  }

  now(): Instant {
    return this.world.now() + this.aheadMs;
  }

  elapsed(): number {
    return this.world.now();
  }

  /** For what does not die with a process: a command's child. */
  sleep(ms: number): Promise<void> {
    return this.world.wait(ms);
  }
}
