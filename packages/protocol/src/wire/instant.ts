/**
 * instant: google.protobuf.Timestamp, RFC 3339 text and milliseconds.
 *
 * Keeps   a time is cut to whole milliseconds, never rounded up: nothing is dated after it happened.
 */
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Instant, JsonValue } from "@reprise/core/nouns.ts";
import { invalid, shown } from "./check.ts";

/** Years 1 to 9999: what RFC 3339 can say. */
const earliest = Date.parse("0001-01-01T00:00:00Z");
const latest = Date.parse("9999-12-31T23:59:59.999Z");

export function instantFromWire(field: string, time: Timestamp | undefined): Instant {
  if (time === undefined) throw invalid(field, "is required");
  const ms = Number(time.seconds) * 1000 + Math.floor(time.nanos / 1e6);
  const isTime = time.nanos >= 0 && time.nanos < 1e9 && ms >= earliest && ms <= latest;
  if (!isTime) throw invalid(field, `${time.seconds} s, ${time.nanos} ns is not a time in the years 1 to 9999`);
  return ms;
}

export const optionalInstantFromWire = (field: string, time: Timestamp | undefined): Instant | undefined =>
  time === undefined ? undefined : instantFromWire(field, time);

export const instantToWire = (at: Instant): Timestamp => timestampFromMs(Math.floor(at));

export const optionalInstantToWire = (at: Instant | undefined): Timestamp | undefined =>
  at === undefined ? undefined : instantToWire(at);

/** A time inside free metadata: RFC 3339 text, or milliseconds. */
export function instantFromJson(field: string, value: JsonValue | undefined): Instant | undefined {
  if (value === undefined || value === null) return undefined;
  const ms = typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : value;
  if (typeof ms === "number" && ms >= earliest && ms <= latest) return Math.floor(ms);
  throw invalid(
    field,
    `${typeof value === "string" ? shown(value) : typeof value} is not a time; expected RFC 3339 or milliseconds`,
  );
}
