/**
 * Goal    a fatal line is acted on only after a silence that was looked through, whatever the clocks of those who looked.
 * Method  a table: when the line was told by its reader's clock and taken in by ours, when the log was last read, and now; each in
 *         seconds since the line was printed. Silence is waited for 5 s.
 */
import { expect, test } from "vitest";
import { fold } from "../situation/situation.ts";
import type { Signal } from "../nouns.ts";
import { crash, healthy, policy, t0 } from "./decide.example.ts";
import { graceOf } from "./grace.ts";

const s = 1_000;

// biome-ignore format: a table is read by its columns
const cases: [story: string, at: number, recordedAt: number, readAt: number, now: number, grace: "passed" | "running"][] = [
  ["read on all the while",                                               0,  0.1,   5.1,   5.2, "passed"],
  ["not long enough",                                                     0,  0.1,   4,     4,   "running"],
  ["long enough, and read only at its beginning",                         0,  0.1,   4,     9,   "running"],
  ["the reader's clock is a minute behind",                             -60,  0.1, -54.9,   5.2, "passed"],
  ["the reader's clock is a minute behind, and it read no further",     -60,  0.1, -58,     5.2, "running"],
  ["told by one whose clock is behind, read on by another, just now",   -60,  0.1,   1,     1.2, "running"],
  ["told by one whose clock is behind, last read by another long ago",  -60,  0.1,   1,     5.2, "running"],
  ["told by one whose clock is behind, read past it by another",        -60,  0.1,   5.2,   5.3, "passed"],
  ["told late, and read up to then only",                                 0, 30,    30,    30,   "running"],
  ["told late, and read on since",                                        0, 30,    35,    35.1, "passed"],
];

test.each(cases)("%s", (_, at, recordedAt, readAt, now, grace) => {
  const root = crash({ at: t0 + at * s, recordedAt: t0 + recordedAt * s });
  const progress = { ...healthy.progress, lastStepAt: t0 - 100 * s, logReadAt: t0 + readAt * s };
  const situation = fold({ ...healthy, progress, signals: [root] }, t0 + now * s);
  expect(graceOf(situation, policy, t0 + now * s).kind).toBe(grace);
});

const progress = { ...healthy.progress, lastStepAt: t0 - s, logReadAt: t0 + 600 * s };
const tenMinutesLater = (...signals: Signal[]) =>
  graceOf(fold({ ...healthy, progress, signals }, t0 + 600 * s), policy, t0 + 600 * s).kind;
const ofNode = { source: "node-log", line: "EXT4-fs error (device sdb)", at: t0 } as const;
const disk = crash({ evidence: ofNode, causeClass: "storage-local", exitIndependent: false });
const traceback = crash({ causeClass: "workload-deterministic", exitIndependent: false });

test("what a node's own log says of it ends no running attempt, however long no step comes, unless no program survives it", () => {
  expect(tenMinutesLater(disk)).toBe("none");
  expect(tenMinutesLater(crash({ evidence: ofNode }))).toBe("passed");
});

test("nor does it take away what the program itself has said", () => {
  expect(tenMinutesLater(disk, traceback)).toBe("passed");
});
