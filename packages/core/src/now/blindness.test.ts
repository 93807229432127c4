/**
 * Goal    whatever cannot be seen is said, and only while it cannot be seen.
 * Method  one table: a sight in which everything is seen, changed in one way a row.
 */
import { expect, test } from "vitest";
import { limits } from "../limits.ts";
import { blindnessOf, type Sight } from "./blindness.ts";

const now = 1_000_000;
const pass = { heardAt: now - 2_000, completeHeardAt: now - 2_000, mode: "act" };
const seen: Sight = { pass, lease: { expiresAt: now + 20_000 }, running: 3, watched: 3, unreadable: 0 };
const { pass: _, ...neverSeen } = seen;
const { lease: __, ...noLease } = seen;
const silent = { ...pass, heardAt: now - limits.sacSilentMs - 1, unavailable: "timed out" };

const cases: [situation: string, sight: Sight, kinds: readonly string[]][] = [
  ["everything is seen", seen, []],
  ["no SAC has ever reported", neverSeen, ["sac-never-seen"]],
  ["SAC reported at the edge of its patience", { ...seen, pass: { ...pass, heardAt: now - limits.sacSilentMs } }, []],
  ["SAC is silent: what it said last says nothing now", { ...seen, pass: silent }, ["sac-silent"]],
  [
    "our own clock was set back since SAC reported: how long ago that was is not known",
    { ...seen, pass: { ...pass, heardAt: now + limits.sacSilentMs + 1 } },
    ["sac-silent"],
  ],
  ["Slurm does not answer", { ...seen, pass: { ...pass, unavailable: "timed out" } }, ["scheduler-unreadable"]],
  ["the lease has run out", { ...seen, lease: { expiresAt: now } }, ["lease-lost"]],
  ["nobody ever took the lease", noLease, ["lease-lost"]],
  ["who only observes needs no lease", { ...noLease, pass: { ...pass, mode: "observe" } }, []],
  ["one of three is read by nobody", { ...seen, watched: 2 }, ["logs-unwatched"]],
  ["a log cannot be opened", { ...seen, unreadable: 1 }, ["logs-unreadable"]],
  [
    "all at once, the scheduler first",
    { ...seen, pass: { ...pass, unavailable: "x" }, lease: { expiresAt: 0 }, watched: 0, unreadable: 1 },
    ["scheduler-unreadable", "lease-lost", "logs-unwatched", "logs-unreadable"],
  ],
];

test.each(cases)("%s", (_situation, sight, kinds) => {
  const blind = blindnessOf(sight, now);
  expect(blind.map(({ kind }) => kind)).toEqual(kinds);
  for (const { says, whatToDo } of blind) expect(Math.min(says.length, whatToDo.length)).toBeGreaterThan(20);
});
