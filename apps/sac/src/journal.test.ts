/**
 * Goal    what was journalled is there after any end of the process, for both programs that write it.
 * Method  real files in a folder of their own; a torn line is written by hand.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Work } from "@reprise/core/plan/work.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createJournal } from "./journal.ts";
import { openJournalFile } from "./journal-file.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "journal-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const path = () => join(folder, "journal.jsonl");
const work = (id: string, generation = 1) => ({ heimdallJobId: id, jobId: "1", attemptIndex: 0, generation }) as Work;
let keys = 0;
const open = () => createJournal(openJournalFile(path(), 0), () => `k${keys++}`);

test("a step begun before the end of the process is found begun, one that ended ended", () => {
  const first = open();
  const key = first.begin({ action: "requeue-hold", work: work("a"), sourceRan: true }, 10);
  first.end(key, "done", "", 20);
  first.begin({ action: "release", work: work("a") }, 30);
  expect(open().stepsOf("a")).toMatchObject([
    { action: "requeue-hold", begunAt: 10, endedAt: 20, outcome: "done", sourceRan: true },
    { action: "release", begunAt: 30 },
  ]);
  expect(open().stepsOf("a")[1]?.endedAt).toBeUndefined();
});

test("a torn last line is the entry that never was, and the next one is whole", () => {
  open().begin({ action: "requeue-hold", work: work("a") }, 10);
  appendFileSync(path(), '{"kind":"begin","key":"torn","at":11,"acti');
  const second = open();
  expect(second.stepsOf("a")).toHaveLength(1);
  second.begin({ action: "release", work: work("a") }, 12);
  expect(
    open()
      .stepsOf("a")
      .map((s) => s.action),
  ).toEqual(["requeue-hold", "release"]);
});

test("each program sees what the other one wrote", () => {
  const [sac, watchdog] = [open(), open()];
  sac.begin({ action: "requeue-hold", work: work("a") }, 10);
  expect(watchdog.open()).toEqual([]);
  watchdog.refresh();
  expect(watchdog.open()).toMatchObject([{ heimdallJobId: "a", jobId: "1" }]);
  watchdog.begin({ action: "watchdog-release", work: work("a") }, 20);
  sac.refresh();
  expect(sac.stepsOf("a").map((s) => s.action)).toEqual(["requeue-hold", "watchdog-release"]);
});

test("what became of a requeue is known to both programs, and the first who saw it has the word", () => {
  const [sac, watchdog] = [open(), open()];
  const key = sac.begin({ action: "requeue-hold", work: work("a") }, 10);
  sac.end(key, "done", "", 20);
  sac.landed(key, { kind: "landed", submitAt: 15_000 }, 30);
  watchdog.refresh();
  watchdog.landed(key, { kind: "landed", submitAt: 99_000 }, 40);
  expect(watchdog.stepsOf("a")[0]).toMatchObject({ outcome: "done", landedAs: 15_000 });
  watchdog.landed(key, { kind: "undone" }, 50);
  watchdog.landed(key, { kind: "undone" }, 60);
  expect(open().stepsOf("a")[0]).toMatchObject({ landedAs: 15_000, undoneAt: 50 });
});

test("what has happened counts while the disk is full, and is written once it is not; what is yet to happen does not begin", () => {
  const file = openJournalFile(path(), 0);
  let isFull = false;
  const append = (line: string) => {
    if (isFull) throw new Error("ENOSPC");
    file.append(line);
  };
  const journal = createJournal({ append, readNew: () => file.readNew() }, () => `k${keys++}`);
  const key = journal.begin({ action: "requeue-hold", work: work("a") }, 10);
  isFull = true;
  expect(() => journal.end(key, "done", "", 20)).toThrow("ENOSPC");
  expect(() => journal.landed(key, { kind: "landed", submitAt: 15_000 }, 30)).toThrow("ENOSPC");
  expect(() => journal.begin({ action: "release", work: work("a") }, 40)).toThrow("ENOSPC");
  journal.refresh();
  const known = [{ action: "requeue-hold", endedAt: 20, outcome: "done", landedAs: 15_000 }];
  expect(journal.stepsOf("a")).toMatchObject(known);
  expect(open().stepsOf("a")[0]).not.toHaveProperty("endedAt");
  isFull = false;
  journal.refresh();
  expect(open().stepsOf("a")).toMatchObject(known);
  expect(readFileSync(path(), "utf8").trimEnd().split("\n")).toHaveLength(3);
});

test("a source that was seen to leave only after its requeue is one that ran", () => {
  const journal = open();
  const key = journal.begin({ action: "requeue-hold", work: work("a"), sourceRan: false }, 10);
  journal.end(key, "unknown", "", 20);
  journal.landed(key, { kind: "leaving" }, 30);
  journal.landed(key, { kind: "landed", submitAt: 15_000 }, 40);
  expect(open().stepsOf("a")[0]).toMatchObject({ outcome: "unknown", sourceRan: true, landedAs: 15_000 });
});

test("the last requeues are counted over all jobs, and over a restart", () => {
  const journal = open();
  for (const [id, at] of [
    ["a", 10],
    ["b", 70_000],
    ["c", 90_000],
  ] as const)
    journal.begin({ action: "requeue-hold", work: work(id) }, at);
  journal.begin({ action: "release", work: work("b") }, 91_000);
  expect(
    open()
      .lastRequeues(2)
      .map(({ begunAt }) => begunAt),
  ).toEqual([70_000, 90_000]);
  expect(open().lastRequeues(9)).toHaveLength(3);
  expect(open().lastRequeues(0)).toEqual([]);
});

test("finished Advice is no longer open; a new generation of it is", () => {
  const journal = open();
  journal.begin({ action: "requeue-hold", work: work("a") }, 10);
  journal.finish(work("a"), 20);
  expect(journal.open()).toEqual([]);
  journal.begin({ action: "requeue-hold", work: work("a", 2) }, 30);
  expect(open().open()).toHaveLength(1);
});

test("the journal is for its owner alone, and only ever grows", () => {
  const journal = open();
  journal.begin({ action: "release", work: work("a") }, 10);
  const before = readFileSync(path(), "utf8");
  journal.begin({ action: "release", work: work("b") }, 11);
  expect(readFileSync(path(), "utf8").startsWith(before)).toBe(true);
  expect(statSync(path()).mode & 0o777).toBe(0o600);
});
