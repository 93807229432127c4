/** Goal: the time that a line of a node's log shows, in the usual forms. Method: tables, read at noon of the first of March 2025, UTC. */
import { describe, expect, test } from "vitest";
import { timeOfNodeLine } from "./node-time.ts";

const at = (hour: number, minute: number, second = 0, day = 1, month = 2, year = 2025) =>
  Date.UTC(year, month, day, hour, minute, second);
const readAt = at(12, 0);

// biome-ignore format: a table is read by its columns
const lines: [line: string, at: number | undefined][] = [
  ["<3>1 2025-03-01T10:40:00.123456Z node-a kernel - - - NVRM: Xid",  at(10, 40) + 123],
  ["2025-03-01T12:40:00+02:00 node-a kernel: NVRM: Xid",              at(10, 40)],
  ["2025-03-01T05:10:00.5-05:30 node-a kernel: NVRM: Xid",            at(10, 40) + 500],
  ["2025-03-01 10:40:00 node-a kernel: NVRM: Xid",                    at(10, 40)],
  ["Mar  1 10:40:00 node-a kernel: [8123.1] NVRM: Xid",               at(10, 40)],
  ["<4>Mar  1 10:40:00 node-a kernel: NVRM: Xid",                     at(10, 40)],
  ["Mar 01 10:40:00 node-a kernel: NVRM: Xid",                        at(10, 40)],
  ["Dec 31 23:59:59 node-a kernel: NVRM: Xid",                        at(23, 59, 59, 31, 11, 2024)],
  ["Mar  2 11:59:59 node-a kernel: its clock is a day ahead",         at(11, 59, 59, 2)],
  ["[Sat Mar  1 10:40:00 2025] NVRM: Xid",                            at(10, 40)],
  ['{"__REALTIME_TIMESTAMP":"1740825600123456","MESSAGE":"NVRM"}',    at(10, 40) + 123],
  ["[ 8123.123456] NVRM: Xid",                                        undefined],
  ["NVRM: Xid, 2025-03-01 10:40:00 is not where a time stands",       undefined],
  ["Feb 31 10:40:00 node-a kernel: no such day",                      undefined],
  ["2025-03-01T25:40:00Z node-a kernel: no such time",                undefined],
  ["10:40:00 node-a kernel: no day",                                  undefined],
  ["",                                                                undefined],
];
test.each(lines)("%s", (line, time) => expect(timeOfNodeLine(line, { zone: "UTC", readAt })).toBe(time));

describe("without a zone it is of the zone that the site names", () => {
  // biome-ignore format: a table is read by its columns
  const zones: [line: string, zone: string, readAt: number, at: number][] = [
    ["Mar  1 10:40:00 n kernel: x",      "Europe/Berlin",    readAt,                   at(9, 40)],
    ["2025-03-01 10:40:00 n kernel: x",  "America/New_York", at(16, 0),                at(15, 40)],
    ["Jul  1 10:40:00 n kernel: x",      "Europe/Berlin",    at(12, 0, 0, 1, 6),       at(8, 40, 0, 1, 6)],
    ["Mar 30 01:59:59 n kernel: x",      "Europe/Berlin",    at(12, 0, 0, 30),         at(0, 59, 59, 30)],
    ["Mar 30 03:00:00 n kernel: x",      "Europe/Berlin",    at(12, 0, 0, 30),         at(1, 0, 0, 30)],
    ["Jan  1 00:30:00 n kernel: x",      "Asia/Tokyo",       at(16, 0, 0, 31, 11),     at(15, 30, 0, 31, 11)],
  ];
  test.each(zones)("%s in %s", (line, zone, read, time) =>
    expect(timeOfNodeLine(line, { zone, readAt: read })).toBe(time),
  );
});
