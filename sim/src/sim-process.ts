/**
 * sim-process: one process of ours in the world: it can be killed before or after any call to a port, paused, and it waits.
 *
 * Takes   its host (whose clock it reads), its lots, and which waits are idle ones (`Idle`).
 * Gives   a `Life` for the real code, and `guard`: the same port, dead when the process is.
 * Keeps   after a kill nothing of it happens any more: what it awaits never comes, what it calls is never done. What it had
 *         made durable, and commands that it had sent, stay.
 * Bound   an idle wait grows (`idleGrowth`) up to its `maxMs`, and is cut short, on the grid of the real interval, by whatever could
 *         give it something to do (`nudge`). That is the real code with a longer interval.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Chance, Life, Log } from "@reprise/runtime/life.ts";
import type { Host, Planned, WorldClock } from "./clock.ts";

/** Thrown into synchronous code of a process that has just died. Nobody but the dead can catch it. */
export class Killed extends Error {}

/** A wait of exactly this length is a poll in which usually nothing has changed. */
export interface Idle {
  readonly ms: number;
  /** Whose wait it is: a loop that waits for one or another time has one name. Absent: a loop of its own. */
  readonly loop?: string;
  /** Asked at each wait: how long it may be now. `hadTrouble`: a call of its has failed since the last one. The last that
   * failed did so before `sinceTroubleMs`; Infinity: none has. */
  readonly maxMs: (hadTrouble: boolean, sinceTroubleMs: number) => number;
  /** How many times as long as the one before each wait is. Absent: `idleGrowth`. */
  readonly growth?: () => number;
}

export interface ProcessDeps {
  readonly name: string;
  readonly world: WorldClock;
  readonly host: Host;
  readonly chance: Chance;
  readonly log: Log;
  readonly idle?: readonly Idle[];
  /** The process has died by its own fuse. */
  readonly onDeath: (why: string) => void;
}

interface Sleeper {
  readonly since: Instant;
  /** Absent: it is no idle wait. */
  readonly idle: Idle | undefined;
  planned: Planned;
  wake: () => void;
}

/** So many times as long as the one before is an idle wait: one more look after a change, and then it is calm. */
const idleGrowth = 64;

/** One of its own for each who waits: what waits for a shared one would be kept for as long as that. */
const never = () => new Promise<never>(() => {});

export class SimProcess {
  readonly name: string;
  readonly life: Life;
  isDead = false;
  private readonly deps: ProcessDeps;
  private readonly stopping = new AbortController();
  private readonly patience = new Map<number, number>();
  private readonly idlers = new Set<Sleeper>();
  /** Loops that were nudged while they were at work, and have not waited since. */
  private readonly missed = new Set<Idle["loop"] | number>();
  private hadTrouble = false;
  private troubledAt = Number.NEGATIVE_INFINITY;
  private pausedUntil: { readonly resumed: Promise<void>; readonly resume: () => void } | undefined;
  private fuse: { left: number; readonly blow: () => "died" | "goes on" } | undefined;

  constructor(deps: ProcessDeps) {
    this.deps = deps;
    this.name = deps.name;
    const { host } = deps;
    const clock: Clock = {
      now: () => host.now(),
      elapsed: () => host.elapsed(),
      sleep: (ms, signal) => this.sleep(ms, signal),
    };
    const say = (level: keyof Log) => (fields: object, message: string) => {
      if (!this.isDead) deps.log[level](fields, message);
    };
    this.life = {
      clock,
      chance: deps.chance,
      log: { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") },
      signal: this.stopping.signal,
    };
  }

  kill(): void {
    this.isDead = true;
    for (const { planned } of this.idlers) planned.cancel();
    this.idlers.clear();
  }

  /** Ends as by SIGTERM: what it was doing is finished. */
  stop(): void {
    this.stopping.abort();
  }

  /** Dies at the nth boundary of a port from now on. */
  killAt(boundary: number): void {
    const blow = () => {
      this.kill();
      return "died" as const;
    };
    this.fuse = { left: boundary, blow };
  }

  /** Something happens to it at the nth boundary: it is paused, say. Then it goes on. */
  at(boundary: number, happen: () => void): void {
    const blow = () => {
      happen();
      return "goes on" as const;
    };
    this.fuse = { left: boundary, blow };
  }

  /** What was to happen to it at a boundary does not. */
  defuse(): void {
    this.fuse = undefined;
  }

  /** SIGSTOP: nothing that it waits for comes, until it is resumed. */
  pause(): void {
    if (this.pausedUntil !== undefined) return;
    let resume = () => {};
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    this.pausedUntil = { resumed, resume };
  }

  resume(): void {
    this.pausedUntil?.resume();
    this.pausedUntil = undefined;
  }

  get isPaused(): boolean {
    return this.pausedUntil !== undefined;
  }

  /** Undefined: it is not paused. */
  get resumed(): Promise<void> | undefined {
    return this.pausedUntil?.resumed;
  }

  /**
   * There may be something to do: idle waits end at the next instant at which the real interval would have ended. Where the loop is at
   * work, its next one is as short as the real one, whichever that is: what comes after it sees all.
   *
   * @param only Waits of this length. Absent: all.
   */
  nudge(only?: number): void {
    for (const idle of this.deps.idle ?? []) {
      const { ms } = idle;
      if (only !== undefined && only !== ms) continue;
      let isAtWork = true;
      for (const sleeper of this.idlers) {
        if (sleeper.idle === undefined || loopOf(sleeper.idle) !== loopOf(idle)) continue;
        isAtWork = false;
        if (sleeper.idle !== idle || ms === 0) continue;
        const passed = this.deps.world.now() - sleeper.since;
        const at = sleeper.since + Math.max(1, Math.ceil(passed / ms)) * ms;
        if (at >= sleeper.planned.at) continue;
        sleeper.planned.cancel();
        sleeper.planned = this.deps.world.at(at, sleeper.wake);
      }
      if (isAtWork) this.missed.add(loopOf(idle));
    }
  }

  /** Waits of this length are short again, and grow: what is waited for needs more than one look. */
  beAttentive(ms: number): void {
    this.nudge(ms);
    this.patience.delete(ms);
  }

  /** The port, as this process has it. @param sync Its functions that give plain values; the others give promises. */
  guard<Port extends object>(name: string, port: Port, sync: "all" | readonly string[] = []): Port {
    const guarded: Record<string, unknown> = {};
    for (const key of membersOf(port)) {
      const member = (port as Record<string, unknown>)[key];
      const call: Call = (...args) => (member as Call).apply(port, args);
      guarded[key] =
        typeof member === "function"
          ? this.guarded(`${name}.${key}`, call, sync === "all" || sync.includes(key))
          : member;
    }
    return guarded as Port;
  }

  private guarded(name: string, call: Call, isSync: boolean): Call {
    return (...args) => {
      if (this.isDead || this.burns(`before ${name}`)) {
        if (!isSync) return never();
        throw new Killed(name);
      }
      const result = call(...args);
      if (!(result instanceof Promise)) {
        if (this.burns(`after ${name}`)) throw new Killed(name);
        return result;
      }
      return this.deliver(result, name);
    };
  }

  private deliver<T>(result: Promise<T>, name: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const on = (go: () => void) => {
        if (this.isDead) return;
        if (this.pausedUntil !== undefined) return void this.pausedUntil.resumed.then(() => on(go));
        if (this.burns(`after ${name}`)) return;
        if (this.isPaused) on(go);
        else go();
      };
      result.then(
        (value) => on(() => resolve(value)),
        (error: unknown) => {
          this.hadTrouble = true;
          this.troubledAt = this.deps.world.now();
          on(() => reject(error));
        },
      );
    });
  }

  /** @returns Whether it has died here. */
  private burns(where: string): boolean {
    if (this.fuse === undefined || --this.fuse.left > 0) return false;
    const { blow } = this.fuse;
    this.fuse = undefined;
    if (blow() === "goes on") return false;
    this.deps.onDeath(where);
    return true;
  }

  private sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (this.isDead) return never();
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const { world } = this.deps;
      const idle = this.deps.idle?.find((each) => each.ms === ms);
      const wake = () => {
        sleeper.planned.cancel();
        this.idlers.delete(sleeper);
        signal?.removeEventListener("abort", wake);
        this.wakeUp(resolve);
      };
      const planned = world.after(idle === undefined ? ms : this.idleMs(idle), wake);
      const sleeper: Sleeper = { since: world.now(), idle, planned, wake };
      if (idle !== undefined) this.idlers.add(sleeper);
      signal?.addEventListener("abort", wake);
    });
  }

  private wakeUp(go: () => void): void {
    if (this.isDead) return;
    if (this.pausedUntil === undefined) go();
    else void this.pausedUntil.resumed.then(() => this.wakeUp(go));
  }

  private idleMs(idle: Idle): number {
    const { ms, maxMs, growth = () => idleGrowth } = idle;
    if (this.missed.delete(loopOf(idle))) this.patience.delete(ms);
    if (ms === 0) return 0;
    const waitMs = Math.min(
      this.patience.get(ms) ?? ms,
      Math.max(ms, maxMs(this.hadTrouble, this.deps.world.now() - this.troubledAt)),
    );
    this.patience.set(ms, waitMs * growth());
    this.hadTrouble = false;
    return waitMs;
  }
}

const loopOf = ({ loop, ms }: Idle) => loop ?? ms;

type Call = (...args: unknown[]) => unknown;

/** Of an object or of a class. */
function membersOf(port: object): readonly string[] {
  const names = new Set(Object.keys(port));
  for (
    let proto = Object.getPrototypeOf(port) as object;
    proto !== Object.prototype;
    proto = Object.getPrototypeOf(proto) as object
  )
    for (const name of Object.getOwnPropertyNames(proto)) if (name !== "constructor") names.add(name);
  return [...names];
}
