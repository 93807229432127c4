/**
 * clock: the time that a line shows.
 *
 * Takes     the beginning of a line.
 * Gives     an instant; undefined for a line without a date. A time without a zone is taken as UTC: only distances matter.
 * Pure, total
 */
import type { Instant } from "@reprise/core/nouns.ts";

const iso =
  /(?<!\d)(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?\s?(Z|[+-]\d{2}:?\d{2})?(?!\d)/;

export function clockIn(text: string): Instant | undefined {
  const match = iso.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "0", zone = "Z"] = match;
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const ms = Math.floor(Number(`0.${fraction}`) * 1000);
  return at + ms - offsetMs(zone);
}

function offsetMs(zone: string): number {
  if (zone === "Z") return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith("-") ? -1 : 1) * minutes * 60_000;
}
