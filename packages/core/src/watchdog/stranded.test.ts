/**
 * Goal    the watchdog lets go of what recovery left held, and of nothing else, and never while recovery lives.
 * Method  tables over the heartbeat and over one held job.
 */
import { describe, expect, test } from "vitest";
import { slurmJob, slurmView } from "../fact/slurm-job.example.ts";
import { limits } from "../limits.ts";
import type { SlurmJob } from "../nouns.ts";
import type { JournalStep, Marker } from "../plan/work.ts";
import { heldSince, type Heartbeat, mayHold, recoveryLife, strandedHolds } from "./stranded.ts";

const now = 1_800_000_000_000;
const alive: Heartbeat = { at: now, passOkAt: now, serverOkAt: now, mode: "act" };
const patience = { failOpenAfterMs: limits.failOpenAfterMs, serverGraceMs: limits.serverGraceMs };

describe("recovery is living", () => {
  // biome-ignore format: a table.
  const cases: [situation: string, heartbeat: Heartbeat | undefined, isLiving: boolean][] = [
    ["a fresh heartbeat",                         alive, true],
    ["none at all",                               undefined, false],
    ["an old one",                                { ...alive, at: now - limits.heartbeatStaleMs - 1 }, false],
    ["passes that fail",                          { ...alive, passOkAt: now - limits.heartbeatStaleMs - 1 }, false],
    ["a server away for a while",                 { ...alive, serverOkAt: now - limits.serverGraceMs }, true],
    ["a server away for longer than its grace",   { ...alive, serverOkAt: now - limits.serverGraceMs - 1 }, false],
    ["a SAC that may no longer act",              { ...alive, mode: "observe" }, false],
  ];
  test.each(cases)("%s", (_situation, heartbeat, isLiving) => {
    expect(recoveryLife(heartbeat, now, patience).isLiving).toBe(isLiving);
  });
  test("a site that wants its jobs back sooner doubts sooner", () => {
    expect(recoveryLife({ ...alive, at: now - 5_000 }, now, { ...patience, failOpenAfterMs: 12_000 }).isLiving).toBe(
      false,
    );
  });
});

describe("a stranded hold", () => {
  const heldAt = now - 200_000;
  const requeue: JournalStep = {
    action: "requeue-hold",
    generation: 1,
    begunAt: heldAt - 100,
    endedAt: heldAt,
    outcome: "done",
  };
  const begun: JournalStep = { action: "requeue-hold", generation: 1, begunAt: heldAt };
  const words = "job requeued in held state";
  const held = { state: "PENDING", restartCount: 1, priority: 0, submitAt: heldAt, reason: words };
  // biome-ignore format: a table.
  const cases: [situation: string, job: Partial<SlurmJob>, steps: JournalStep[], marker: Marker | undefined, blindMs: number, isFound: boolean][] = [
    ["ours, old enough",                     {}, [requeue], undefined, 0, true],
    ["ours, too young",                      { submitAt: now - 60_000 }, [{ ...requeue, begunAt: now - 60_100, endedAt: now - 60_000 }], undefined, 0, false],
    ["its age counts only while slurmctld answered", {}, [requeue], undefined, 30_000, false],
    ["Slurm's own hold",                     { state: "REQUEUE_HOLD" }, [requeue], undefined, 0, false],
    ["not held",                             { priority: 7 }, [requeue], undefined, 0, false],
    ["running",                              { state: "RUNNING" }, [requeue], undefined, 0, false],
    ["still completing",                     { state: "COMPLETING" }, [requeue], undefined, 0, false],
    ["a later attempt",                      { restartCount: 2 }, [requeue], undefined, 0, false],
    ["requeued by somebody else before us",  { submitAt: heldAt - 60_000 }, [{ action: "requeue-hold", generation: 1, begunAt: heldAt - 100 }], undefined, 0, false],
    ["released by SAC: the owner's hold",    { reason: "JobHeldUser" }, [requeue, { ...requeue, action: "release", endedAt: now - 100_000 }], undefined, 0, false],
    ["released by us: the owner's hold",     { reason: "JobHeldUser" }, [requeue, { ...requeue, action: "watchdog-release", endedAt: now - 100_000 }], undefined, 0, false],
    ["…which slurmctld has forgotten, however long ago", {}, [requeue, { ...requeue, action: "watchdog-release", endedAt: now - 100_000 }], undefined, 0, true],
    ["our requeue was refused: theirs",      {}, [{ ...requeue, outcome: "refused" }], undefined, 0, false],
    ["Slurm cannot place it: not our hold",  { reason: "BadConstraints" }, [requeue], undefined, 0, false],
    ["a crash took our requeue back: somebody else's", {}, [{ ...requeue, undoneAt: heldAt + 3_000 }], undefined, 0, false],
    ["another requeue than the one we saw",  {}, [{ ...requeue, landedAs: heldAt - 5_000 }], undefined, 0, false],
    ["an end that nobody noted, and slurmctld's clock is far off", { submitAt: heldAt - 300_000 }, [{ ...begun, sourceRan: true }], undefined, 0, false],
    ["…but it was seen coming",              { submitAt: heldAt - 300_000 }, [{ ...begun, sourceRan: true, landedAs: heldAt - 300_000 }], undefined, 0, true],
    ["…and another came since",              { submitAt: heldAt - 200_000 }, [{ ...begun, sourceRan: true, landedAs: heldAt - 300_000 }], undefined, 0, false],
    ["only our marker is left",              {}, [], { id: "a", generation: 1, step: "held", at: heldAt }, 0, true],
  ];
  test.each(cases)("%s", (_situation, change, steps, marker, blindMs, isFound) => {
    const job = slurmJob({ ...held, ...change });
    const view = slurmView([job]);
    const attempts = [{ heimdallJobId: "a", jobId: job.jobId, attemptIndex: 0, steps }];
    expect(
      strandedHolds(
        view,
        attempts,
        () => marker,
        () => blindMs,
        limits.failOpenAfterMs,
        now,
        (attempt, held) => now - heldSince(attempt.steps, held) - blindMs,
      ),
    ).toHaveLength(isFound ? 1 : 0);
  });
});

describe("a watchdog that nobody needs any more stays while a hold of ours is there or may still come", () => {
  const requeue: JournalStep = {
    action: "requeue-hold",
    generation: 1,
    begunAt: now - 300,
    endedAt: now - 100,
    outcome: "done",
  };
  const release: JournalStep = { ...requeue, action: "watchdog-release", endedAt: now - 1_000 };
  // biome-ignore format: a table.
  const cases: [situation: string, job: Partial<SlurmJob>, steps: JournalStep[], stays: boolean][] = [
    ["held by us",                             { state: "PENDING", restartCount: 1, priority: 0 }, [requeue], true],
    ["the old attempt is leaving",             { state: "COMPLETING", restartCount: 1 }, [requeue], true],
    ["the requeue may still land",             { state: "RUNNING" }, [{ action: "requeue-hold", generation: 1, begunAt: now - 300 }], true],
    ["…it was refused",                        { state: "RUNNING" }, [{ ...requeue, outcome: "refused" }], false],
    ["…it was long ago",                       { state: "RUNNING" }, [{ ...requeue, endedAt: now - 500_000 }], false],
    ["…it was looked for, and did not",        { state: "RUNNING" }, [{ ...requeue, undoneAt: now - 50 }], false],
    ["released a moment ago: not saved yet",   { state: "PENDING", restartCount: 1, priority: 5 }, [requeue, release], true],
    ["released, and Slurm has saved it",       { state: "PENDING", restartCount: 1, priority: 5 }, [requeue, { ...release, endedAt: now - 7_000 }], false],
    ["the successor runs",                     { state: "RUNNING", restartCount: 1 }, [requeue, release], false],
    ["a later attempt",                        { state: "PENDING", restartCount: 2, priority: 0 }, [requeue], false],
  ];
  test.each(cases)("%s", (_situation, change, steps, stays) => {
    const job = slurmJob({ submitAt: now, ...change });
    const view = slurmView([job]);
    const attempts = [{ heimdallJobId: "a", jobId: job.jobId, attemptIndex: 0, steps }];
    const [unmarked, neverBlind] = [() => undefined, () => 0];
    expect(mayHold(view, attempts, unmarked, neverBlind, now)).toBe(stays);
  });
  test("its row could not be read: it is there", () => {
    const view = slurmView([], { unreadable: new Map([["11", { why: "it changed while it was read" }]]) });
    const attempts = [{ heimdallJobId: "a", jobId: "11", attemptIndex: 0, steps: [requeue] }];
    const stays = (jobs: typeof view) =>
      mayHold(
        jobs,
        attempts,
        () => undefined,
        () => 0,
        now,
      );
    expect(stays(view)).toBe(true);
    expect(stays(slurmView([]))).toBe(false);
  });
});
