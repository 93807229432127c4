/**
 * life: what every program of Reprise is given: the time, chance, a log, and when to stop.
 *
 * Keeps   A program reads nothing of the process it runs in; `main.ts` hands it its life.
 */
import { systemChance } from "./chance.ts";
import { type Clock, systemClock } from "./clock.ts";

/** Structured: the fields first, then one sentence. Never a secret in either. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Chance {
  /** A random UUID. */
  uuid(): string;
  /** Uniform in [0, 1). */
  number(): number;
}

export interface Life {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  /** Aborted when the program should end. */
  readonly signal: AbortSignal;
}

/** Resolves when it is aborted; at once when it was before. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** A second signal within this time is the same wish (a terminal and its `make` both pass one on). */
const sameWishMs = 1_000;

export interface ProcessLife extends Life {
  /** Ends this life as a signal would. */
  stop(why: string): void;
}

/**
 * The life of this process: ends at the first of `stopOn`; at a second one, more than a second later, the process exits
 * at once with 128 + the signal's number. Signals in `ignore` are left to whoever started this process.
 */
export function processLife(
  log: Log,
  {
    stopOn = ["SIGINT", "SIGTERM", "SIGHUP"],
    ignore = [],
  }: { stopOn?: readonly StopSignal[]; ignore?: readonly StopSignal[] } = {},
): ProcessLife {
  const controller = new AbortController();
  let firstAt: number | undefined;
  const stop = (why: string) => {
    firstAt ??= systemClock.now();
    if (controller.signal.aborted) return;
    log.info({ why }, "stopping");
    controller.abort();
  };
  for (const name of ignore) process.on(name, () => {});
  for (const name of stopOn) {
    process.on(name, (_name: StopSignal, number: number) => {
      if (firstAt !== undefined && systemClock.now() - firstAt > sameWishMs) process.exit(128 + number);
      stop(name);
    });
  }
  process.on("uncaughtException", (error) => {
    log.error({ error }, "a bug: nobody caught this error; the process ends");
    process.exit(70); // EX_SOFTWARE
  });
  return { clock: systemClock, chance: systemChance, log, signal: controller.signal, stop };
}
