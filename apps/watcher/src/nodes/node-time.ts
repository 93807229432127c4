/**
 * node-time: when a node wrote a line of its log, by the line itself.
 *
 * Takes         the beginning of the line: RFC 5424 and ISO 8601, RFC 3164 (no year, no zone), `dmesg -T`, and journald's JSON.
 * Gives         undefined for anything else: a time that cannot be read is not guessed, and the line concerns nobody.
 * Pure, total
 * Keeps         a time without a zone is of the zone that the site names; one without a year is the last such day that is not to come.
 * Source        RFC 5424 §6.2.3; RFC 3164 §4.1.2; dmesg(1); systemd.journal-fields(7)
 */
import type { Instant } from "@reprise/core/nouns.ts";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const month = `(?<month>${months.join("|")})`;
const clock = "(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})(?:[.,](?<fraction>\\d{1,9}))?";
const priority = "(?:<\\d{1,3}>(?:\\d{1,2} )?)?";

const forms: readonly RegExp[] = [
  new RegExp(
    `^${priority}\\[?(?<year>\\d{4})-(?<monthNumber>\\d{2})-(?<day>\\d{2})[T ]${clock}\\s?(?<zone>Z|[+-]\\d{2}:?\\d{2})?(?!\\d)`,
  ),
  new RegExp(`^${priority}${month} +(?<day>\\d{1,2}) ${clock}(?!\\d)`),
  new RegExp(`^\\[\\w{3} ${month} +(?<day>\\d{1,2}) ${clock} (?<year>\\d{4})\\]`),
];
/** Microseconds. */
const journal = /"__REALTIME_TIMESTAMP"\s*:\s*"?(\d{16})\b/;

const dayMs = 24 * 3_600_000;

export interface TimeOf {
  /** An IANA name, such as `Europe/Berlin`, for times without a zone. */
  readonly zone: string;
  readonly readAt: Instant;
}

export function timeOfNodeLine(text: string, of: TimeOf): Instant | undefined {
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return instantOf(parts, of);
  }
  const microseconds = text.startsWith("{") ? journal.exec(text)?.[1] : undefined;
  return microseconds === undefined ? undefined : Math.floor(Number(microseconds) / 1000);
}

function instantOf(parts: Readonly<Record<string, string | undefined>>, { zone, readAt }: TimeOf): Instant | undefined {
  const [day, hour, minute, second] = [parts["day"], parts["hour"], parts["minute"], parts["second"]].map(Number);
  const ms = Math.floor(Number(`0.${parts["fraction"] ?? "0"}`) * 1000);
  const monthIndex = parts["month"] === undefined ? Number(parts["monthNumber"]) - 1 : months.indexOf(parts["month"]);
  const inYear = (year: number): Instant | undefined => {
    const at = Date.UTC(year, monthIndex, day, hour, minute, second);
    const read = new Date(at);
    // The 31st of February is no day, and 25 o'clock no time.
    if (read.getUTCMonth() !== monthIndex || read.getUTCDate() !== day || read.getUTCHours() !== hour) return undefined;
    return at + ms - (parts["zone"] === undefined ? offsetIn(zone, at) : offsetOf(parts["zone"]));
  };
  if (parts["year"] !== undefined) return inYear(Number(parts["year"]));
  const thisYear = new Date(readAt + dayMs).getUTCFullYear();
  const at = inYear(thisYear);
  return at !== undefined && at <= readAt + dayMs ? at : inYear(thisYear - 1);
}

function offsetOf(zone: string): number {
  if (zone === "Z") return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith("-") ? -1 : 1) * minutes * 60_000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** What that zone's clocks are ahead of UTC when they show `wall`. @throws RangeError for a zone that nobody knows. */
function offsetIn(zone: string, wall: Instant): number {
  const shows = (at: Instant) => {
    const parts = formatOf(zone).formatToParts(at);
    const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
    return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  };
  const first = shows(wall) - wall;
  return shows(wall - first) - (wall - first); // A clock that was changed in between has another one.
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const numeric = "numeric";
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
  formats.set(timeZone, format);
  return format;
}
