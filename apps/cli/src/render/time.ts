/** time: instants and durations as a person reads them. Pure: now and the time zone are arguments. */
import type { Instant } from "@reprise/core/nouns.ts";
import type { View } from "./view.ts";

/** `14:03:05`. */
export function clockTime(at: Instant, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", timeZone }).format(
    at,
  );
}

/** `2030-01-31 14:03:05`. */
export function dateTime(at: Instant, timeZone: string): string {
  const date = new Intl.DateTimeFormat("en-CA", { year: "numeric", month: "2-digit", day: "2-digit", timeZone }).format(
    at,
  );
  return `${date} ${clockTime(at, timeZone)}`;
}

/** `3 s`, `12 min`, `5 h`, `4 d`. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 120 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** `0.35`, `12.1`: seconds with two digits below ten and one above. */
export function seconds(value: number): string {
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1);
}

/** `0.35 s`, `45.2 s`, `3 min 42 s`, `2 h 05 min`, of seconds. */
export function duration(value: number): string {
  const whole = Math.round(value);
  const two = (n: number) => String(n).padStart(2, "0");
  if (whole < 120) return `${seconds(value)} s`;
  if (whole < 7_200) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3_600)} h ${two(Math.floor((whole % 3_600) / 60))} min`;
}

/** RFC 3339 → instant; `undefined` for what is absent or none. */
export function instant(text: string | undefined): Instant | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

/** Of RFC 3339; @param absent What stands for none. */
export function dateTimeOf(text: string | undefined, { timeZone }: View, absent = ""): string {
  const at = instant(text);
  return at === undefined ? absent : dateTime(at, timeZone);
}

/** As `dateTimeOf`. */
export function ageOf(text: string | undefined, { now }: View, absent = ""): string {
  const at = instant(text);
  return at === undefined ? absent : age(now - at);
}
