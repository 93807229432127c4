/**
 * Goal    no row of Slurm makes an attempt start or end that has not.
 * Method  a table of rows and what the row before showed; then whole lives of jobs, looked at whenever, against the truth.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SlurmJob } from "../nouns.ts";
import { attemptsOf, lastSeenOf, standsAlone, type AttemptSight, type LastSeen } from "./attempts-of.ts";
import { slurmJob } from "./slurm-job.example.ts";

const show = (sights: readonly AttemptSight[]) =>
  sights
    .map(({ attemptIndex, status, jmState, nodes }) => [`#${attemptIndex}`, status ?? "-", jmState, ...nodes].join(" "))
    .join(", ");

const submitted = 100_000;
const resubmitted = 200_000;
const own = (restartCount: number): LastSeen => ({ restartCount, submitAt: submitted, isWaiting: false });
const waiting = (restartCount: number): LastSeen => ({ restartCount, submitAt: submitted, isWaiting: true });
const ending = (restartCount: number, times: Partial<SlurmJob> = {}) => ({
  state: "COMPLETING",
  restartCount,
  ...times,
});
const ranAgain = { submitAt: resubmitted, startAt: resubmitted + 5_000 };

// biome-ignore format: a table
const cases: [what: string, row: Partial<SlurmJob>, lastSeen: LastSeen | undefined, sights: string][] = [
  ["running",                                       { state: "RUNNING" },                                 undefined,  "#0 RUNNING RUNNING n1 n2"],
  ["failed",                                        { state: "FAILED" },                                  undefined,  "#0 FAILED FAILED n1 n2"],
  ["pending again after a requeue",                 { state: "PENDING", restartCount: 1, nodes: [] },     own(0),     "#1 PENDING PENDING"],
  ["a word we do not know",                         { state: "WARMING", restartCount: 1 },                own(1),     "#1 - UNKNOWN n1 n2"],
  ["ending for the first time",                     ending(0),                                            undefined,  "#0 RUNNING RUNNING"],
  ["ending, count unchanged",                       ending(1),                                            own(1),     "#1 RUNNING RUNNING"],
  ["requeued, and its processes still end",         ending(1),                                            own(0),     "#0 RUNNING RUNNING, #1 PENDING PENDING"],
  ["the same at the next look",                     ending(1),                                            waiting(1), "#0 RUNNING RUNNING, #1 PENDING PENDING"],
  ["ending, and nobody looked before",              ending(1),                                            undefined,  "#1 - UNKNOWN"],
  ["ending, two counts on: which of them?",         ending(2),                                            own(0),     "#2 - UNKNOWN"],
  ["ending, two counts on, and ran: which of them?", ending(2, ranAgain),                                 own(0),     "#2 - UNKNOWN"],
  ["the count fell while we looked away",           ending(1),                                            own(2),     "#1 - UNKNOWN"],
  ["requeued, ran in between, and ends",            ending(1, ranAgain),                                  own(0),     "#1 RUNNING RUNNING"],
  ["waited, ran in between, and ends",              ending(1, ranAgain),                                  waiting(1), "#1 RUNNING RUNNING"],
  ["waited, and then was requeued itself",          ending(2, ranAgain),                                  waiting(1), "#2 - UNKNOWN"],
  ["dated a second ahead of a start without delay", ending(1, { submitAt: resubmitted, startAt: resubmitted - 1_000 }), own(0), "#1 RUNNING RUNNING"],
  ["resubmitted, but the start is the old one",     ending(1, { submitAt: resubmitted, startAt: 110_000 }), own(0),   "#0 RUNNING RUNNING, #1 PENDING PENDING"],
];

describe("attemptsOf", () => {
  test.each(cases)("%s", (_what, row, lastSeen, sights) =>
    expect(show(attemptsOf(slurmJob(row), lastSeen))).toBe(sights),
  );

  test("the submit time is said only of the attempt that it belongs to", () => {
    const submitTimes = (row: Partial<SlurmJob>, lastSeen?: LastSeen) =>
      attemptsOf(slurmJob(row), lastSeen).map((sight) => sight.submitAt);
    expect(submitTimes({ state: "RUNNING" })).toEqual([submitted]);
    expect(submitTimes(ending(1), own(0))).toEqual([undefined, undefined]);
    expect(submitTimes(ending(1))).toEqual([undefined]);
    expect(submitTimes({ state: "WARMING" })).toEqual([undefined]);
  });

  test("a row that stands alone says the same, and is remembered alike, whatever was remembered before it", () => {
    const states = ["PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "FAILED", "WARMING"] as const;
    const row = fc.record({ state: fc.constantFrom(...states), restartCount: fc.nat(2), startAt: fc.nat(300_000) });
    const remembered = fc.option(
      fc.record({
        restartCount: fc.nat(2),
        submitAt: fc.constantFrom(submitted, resubmitted),
        isWaiting: fc.boolean(),
      }),
      { nil: undefined },
    );
    let alone = 0;
    fc.assert(
      fc.property(row, remembered, remembered, (told, one, other) => {
        const job = slurmJob(told);
        if (!standsAlone(job)) return;
        alone++;
        expect(attemptsOf(job, one)).toEqual(attemptsOf(job, other));
        expect(lastSeenOf(job, one)).toEqual(lastSeenOf(job, other));
      }),
    );
    expect(alone).toBeGreaterThan(0);
  });

  test("whenever one looks at a job that is requeued again and again, nothing is reported that was not so", () => {
    fc.assert(
      fc.property(fc.array(life, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.boolean()), (lives, looks) => {
        let lastSeen: LastSeen | undefined;
        for (const { row, truth } of rowsOf(lives)) {
          if (!looks.next().value) continue;
          const said = show(attemptsOf(row, lastSeen));
          if (!said.includes("UNKNOWN")) expect(said).toBe(truth);
          lastSeen = lastSeenOf(row, lastSeen);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("whoever looks at every row is never left in the dark", () => {
    fc.assert(
      fc.property(fc.array(life, { minLength: 1, maxLength: 4 }), (lives) => {
        let lastSeen: LastSeen | undefined;
        for (const { row, truth } of rowsOf(lives)) {
          expect(show(attemptsOf(row, lastSeen))).toBe(truth);
          lastSeen = lastSeenOf(row, lastSeen);
        }
      }),
    );
  });
});

/** How an attempt ended before it was requeued: requeued while it ran (its processes take time to end), or after its end. */
const life = fc.constantFrom("requeued-running" as const, "requeued-ended" as const);

/** Every row that Slurm shows of such a job, as it was measured, with what is true at that time. */
function rowsOf(lives: readonly ("requeued-running" | "requeued-ended")[]): { row: SlurmJob; truth: string }[] {
  const rows: { row: SlurmJob; truth: string }[] = [];
  lives.forEach((end, k) => {
    const times = { submitAt: k * 100_000, startAt: k * 100_000 + 5_000 };
    const add = (change: Partial<SlurmJob>, truth: string) =>
      rows.push({ row: slurmJob({ restartCount: k, ...times, ...change }), truth });
    add({ state: "PENDING", priority: 0, nodes: [] }, `#${k} PENDING PENDING`);
    add({ state: "RUNNING" }, `#${k} RUNNING RUNNING n1 n2`);
    // Nodes are returned one by one: what is left of the list is not the attempt's nodes, and so none are said.
    const ends = [
      { state: "COMPLETING", nodes: ["n1", "n2"] },
      { state: "COMPLETING", nodes: ["n1"] },
    ];
    if (end === "requeued-running") {
      for (const row of ends) add({ ...row, restartCount: k + 1 }, `#${k} RUNNING RUNNING, #${k + 1} PENDING PENDING`);
    } else {
      for (const row of ends) add(row, `#${k} RUNNING RUNNING`);
      add({ state: "FAILED" }, `#${k} FAILED FAILED n1 n2`);
    }
  });
  return rows;
}
