/** fake-life: a life for tests: a clock that the test moves, chance from a seed, a log that is kept, and its end. */
import type { Chance, Life, Log } from "../life.ts";
import { FakeClock } from "./fake-clock.ts";

export interface LoggedLine {
  readonly level: keyof Log;
  readonly fields: object;
  readonly message: string;
}

export interface FakeLife extends Life {
  readonly clock: FakeClock;
  readonly lines: readonly LoggedLine[];
  end(): void;
}

export function fakeLife(seed = 1, clock = new FakeClock()): FakeLife {
  const lines: LoggedLine[] = [];
  const keep = (level: keyof Log) => (fields: object, message: string) => void lines.push({ level, fields, message });
  const controller = new AbortController();
  return {
    clock,
    chance: seededChance(seed),
    log: { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") },
    signal: controller.signal,
    lines,
    end: () => controller.abort(),
  };
}

/** Mulberry32: the same seed, the same run. */
export function seededChance(seed: number): Chance {
  let state = seed >>> 0;
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(number() * 16).toString(16)).join("");
  return {
    number,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${"89ab"[Math.floor(number() * 4)]}${hex(3)}-${hex(12)}`,
  };
}
