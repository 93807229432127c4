/**
 * Goal    every way in which a restart may have treated a log has a row, and none reads an earlier attempt's line.
 * Method  one table. The attempt began at second 100; an earlier one stopped at byte 500 of inode 7.
 */
import { describe, expect, test } from "vitest";
import type { LogPosition } from "./server.ts";
import { type Known, latest, leftUnread, type Place, placeAfterWait, placeOf } from "./start-of-part.ts";

const at500: LogPosition = {
  heimdallJobId: "a",
  path: "/l",
  device: "1",
  inode: "7",
  mark: "m",
  offset: 500,
  start: 0,
  ended: true,
};
const look = (size: number, modified: number, more: { inode?: string; born?: number } = {}): Known["look"] => ({
  device: "1",
  inode: more.inode ?? "7",
  size,
  modifiedAt: modified * 1000,
  ...(more.born === undefined ? {} : { bornAt: more.born * 1000 }),
});
const restart: Known = {
  look: look(500, 90),
  isStillBefore: () => true,
  isLineEnd: () => true,
  earlier: at500,
  attemptIndex: 1,
  startedAt: 100_000,
  appeared: false,
  isNamedAfterJob: true,
  ended: false,
};
const first: Known = { ...restart, earlier: undefined, attemptIndex: 0 };

const show = (place: Place) =>
  place.kind === "read"
    ? `read ${place.offset} of ${place.start}`
    : place.kind === "wait"
      ? `wait at ${place.before}`
      : place.kind;

// biome-ignore format: a table is read by its columns
const rows: [why: string, known: Known, place: string][] = [
  ["restart: nothing written yet",                  restart,                                                     "wait at 500"],
  ["restart: late lines of the earlier attempt",    { ...restart, look: look(540, 95) },                         "wait at 540"],
  ["restart: emptied",                              { ...restart, look: look(20, 101) },                         "read 0 of 0"],
  ["restart: emptied, nothing written, clock behind", { ...restart, look: look(0, 99) },                         "read 0 of 0"],
  ["restart: emptied and grown beyond",             { ...restart, look: look(900, 101), isStillBefore: () => false }, "read 0 of 0"],
  ["restart: emptied and written alike",            { ...restart, look: look(500, 101) },                        "read 0 of 0"],
  ["restart: the earlier reader went on into it",   { ...restart, earlier: { ...at500, readAt: 110_000 }, look: look(500, 105) }, "wait at 500"],
  ["restart: …by a clock that is behind, in a log that was appended to before", { ...restart, earlier: { ...at500, start: 300, readAt: 90_000 }, look: look(500, 105) }, "wait at 500"],
  ["restart: …by a clock that is behind, and was not told of the end", { ...restart, earlier: { ...at500, ended: false, readAt: 90_000 }, look: look(500, 105) }, "wait at 500"],
  ["restart: appended to",                          { ...restart, look: look(600, 101) },                        "read 500 of 500"],
  ["restart: appended, and said to be",             { ...restart, shared: true, look: look(600, 101) },          "read 500 of 500"],
  ["restart: said to be appended, same size",       { ...restart, shared: true, look: look(500, 101) },          "wait at 500"],
  ["restart: said to be emptied, grown beyond",     { ...restart, shared: false, look: look(600, 101) },         "read 0 of 0"],
  ["restart: appended, earlier not read to its end", { ...restart, earlier: { ...at500, ended: false }, look: look(600, 101) }, "read 600 of 600"],
  ["restart: appended, half a line was on its way", { ...restart, isLineEnd: () => false, look: look(600, 101) }, "read 600 of 600"],
  ["restart: emptied, said to be appended to",      { ...restart, shared: true, look: look(20, 101) },           "read 0 of 0"],
  ["restart: said to be appended to, emptied after who knows whose lines", { ...restart, shared: true, earlier: { ...at500, ended: false }, look: look(20, 101) }, "read 20 of 20"],
  ["restart: appended to before, emptied after who knows whose lines", { ...restart, earlier: { ...at500, start: 300, ended: false }, look: look(20, 101) }, "read 20 of 20"],
  ["restart: emptied at its start, where something was left out", { ...restart, earlier: { ...at500, unreadable: "sampled", readAt: 90_000 }, look: look(20, 101) }, "read 0 of 0"],
  ["restart: emptied, and its reader found nothing of it", { ...restart, earlier: { ...at500, unreadable: "emptied" }, look: look(20, 101) }, "read 20 of 20"],
  ["restart: emptied and written to before this attempt began", { ...restart, look: look(20, 95) },            "wait at 20"],
  ["restart: appended to before, read to its end, emptied", { ...restart, earlier: { ...at500, start: 300 }, look: look(20, 101) }, "read 0 of 0"],
  ["restart: appended to before, emptied, and its reader had not read it again at its end", { ...restart, earlier: { ...at500, start: 300, unreadable: "emptied", readAt: 90_000 }, look: look(20, 101) }, "read 20 of 20"],
  ["restart: emptied, earlier not read to its end", { ...restart, earlier: { ...at500, ended: false }, look: look(20, 101) }, "read 0 of 0"],
  ["restart: said to be emptied, and not read to its end", { ...restart, shared: false, earlier: { ...at500, start: 300, ended: false }, look: look(20, 101) }, "read 0 of 0"],
  ["restart: another file of that name",            { ...restart, look: look(600, 101, { inode: "8" }) },        "read 0 of 0"],
  ["restart: another file, born with this attempt, earlier not read to its end", { ...restart, earlier: { ...at500, ended: false }, look: look(600, 101, { inode: "8", born: 100.5 }) }, "read 0 of 0"],
  ["restart: rotated before this attempt, earlier not read to its end", { ...restart, earlier: { ...at500, ended: false }, look: look(600, 101, { inode: "8", born: 60 }) }, "read 600 of 600"],
  ["restart: rotated so, and not written to since", { ...restart, earlier: { ...at500, ended: false }, look: look(600, 95, { inode: "8", born: 60 }) }, "wait at 600"],
  ["restart: rotated so, and said to be emptied",   { ...restart, shared: false, earlier: { ...at500, ended: false }, look: look(600, 101, { inode: "8", born: 60 }) }, "read 0 of 0"],
  ["restart: rotated after the earlier one was read to its end", { ...restart, look: look(600, 101, { inode: "8", born: 95 }) }, "read 0 of 0"],
  ["restart: another file, and no birth kept, earlier not read to its end", { ...restart, earlier: { ...at500, ended: false }, look: look(600, 101, { inode: "8" }) }, "read 0 of 0"],
  ["restart: another file, and no birth kept, in a log that was appended to before", { ...restart, earlier: { ...at500, start: 300, ended: false }, look: look(600, 101, { inode: "8" }) }, "read 600 of 600"],
  ["restart: another file, and no birth kept, not written to since", { ...restart, earlier: { ...at500, ended: false }, look: look(600, 95, { inode: "8" }) }, "wait at 600"],
  ["restart: nobody has read the earlier attempt",  { ...restart, earlier: undefined, look: look(600, 101, { born: 10 }) }, "read 600 of 600"],
  ["restart: a file born in this attempt",          { ...restart, earlier: undefined, look: look(60, 101, { born: 100.5 }) }, "read 0 of 0"],
  ["restart: a file that appeared meanwhile",       { ...restart, earlier: undefined, appeared: true, look: look(60, 101) }, "read 0 of 0"],
  ["restart: nobody read it, said to be emptied",   { ...restart, earlier: undefined, shared: false, look: look(60, 101, { born: 10 }) }, "read 0 of 0"],
  ["first attempt: its own file",                   { ...first, look: look(60, 101, { born: 100 }) },            "read 0 of 0"],
  ["first attempt: no birth kept, named after it",  { ...first, look: look(60, 101) },                           "read 0 of 0"],
  ["first attempt: no birth kept, a common name",   { ...first, isNamedAfterJob: false, look: look(60, 101) },   "read 60 of 60"],
  ["first attempt: an older file, not yet written", { ...first, look: look(60, 50, { born: 1 }) },               "wait at 60"],
  ["first attempt: an older file, written to",      { ...first, look: look(60, 101, { born: 1 }) },              "read 60 of 60"],
  ["first attempt: start not known",                { ...first, startedAt: undefined, look: look(60, 101) },     "read 0 of 0"],
  ["own position",                                  { ...restart, own: { ...at500, start: 450, offset: 480 } },  "read 480 of 450"],
  ["own position, file emptied since",              { ...restart, own: at500, look: look(20, 101) },             "rewritten"],
  ["own position, file emptied and grown",          { ...restart, own: at500, isStillBefore: () => false },      "rewritten"],
  ["own position, attempt over, file made anew",    { ...restart, own: at500, ended: true, look: look(20, 101, { inode: "8" }) }, "foreign"],
  ["own position, attempt over, file emptied",     { ...restart, own: at500, ended: true, look: look(20, 101) }, "foreign"],
  ["over before anybody looked",                    { ...first, ended: true, endedAt: 120_000, look: look(60, 130, { born: 100 }) }, "read 0 of 0"],
  ["over before anybody looked, written to since",  { ...first, ended: true, endedAt: 120_000, look: look(60, 200, { born: 100 }) }, "foreign"],
  ["own position, file rotated since",              { ...restart, own: at500, look: look(20, 101, { inode: "8" }) }, "read 0 of 0"],
];

describe("where the part of an attempt begins", () => {
  test.each(rows)("%s", (_why, known, place) => expect(show(placeOf(known))).toBe(place));
});

// biome-ignore format: a table is read by its columns
const waits: [why: string, known: Known, place: string][] = [
  ["still nothing",                    restart,                                                          "wait at 500"],
  ["late lines of the earlier one",    { ...restart, look: look(540, 95) },                              "wait at 540"],
  ["emptied",                          { ...restart, look: look(10, 101) },                              "read 0 of 0"],
  ["appended to",                      { ...restart, look: look(510, 101) },                             "read 500 of 500"],
  ["emptied and grown between looks",  { ...restart, look: look(510, 101), isStillBefore: () => false }, "read 0 of 0"],
  ["emptied and written alike",        { ...restart, look: look(500, 101) },                             "read 0 of 0"],
  ["said to be appended, touched",     { ...restart, shared: true, look: look(500, 101) },               "wait at 500"],
  ["another file",                     { ...restart, look: look(10, 101, { inode: "9" }) },              "read 0 of 0"],
];

describe("what a file that one waits for has become", () => {
  test.each(waits)("%s", (_why, known, place) => expect(show(placeAfterWait(known, at500, 90_000))).toBe(place));
});

describe("of several earlier attempts", () => {
  const unread = { ...at500, heimdallJobId: "b", unreadable: "it was emptied before it was read to its end" };
  test("the last one counts, also where nobody could read it", () =>
    expect(latest([{ ...at500, readAt: 90_000 }, unread])).toBe(unread));
  test("one that never had the file does not", () => expect(latest([at500, { ...unread, inode: "" }])).toBe(at500));
});

// biome-ignore format: a table is read by its columns
const ends: [why: string, target: Parameters<typeof leftUnread>[0], start: number, modified: number, isUnread: boolean][] = [
  ["the next attempt has written to it since the end", { endedAt: 100_000 },               0,   101, false],
  ["…but no start empties it",                         { endedAt: 100_000 },               300, 101, true],
  ["nobody has: it is its own",                        { endedAt: 100_000 },               0,   100.9, true],
  ["the end is not known",                             {},                                 0,   90,  false],
];

describe("a log that was emptied and not read again", () => {
  test.each(ends)("%s", (_why, target, start, modified, isUnread) =>
    expect(leftUnread(target, { start }, { modifiedAt: modified * 1000 }) !== undefined).toBe(isUnread),
  );
});
