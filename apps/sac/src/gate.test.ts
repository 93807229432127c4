/**
 * Goal    every no of the gate has a row, and what only lets go is allowed where nothing new may be begun.
 * Method  one table; each row changes the facts of an acting SAC in one way.
 */
import { limits } from "@reprise/core/limits.ts";
import type { SlurmJob } from "@reprise/core/nouns.ts";
import type { Step } from "@reprise/core/plan/step.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type GateFacts, mayTake } from "./gate.ts";

const now = 1_800_000_000_000;
const facts: GateFacts = {
  mode: "act",
  partitions: ["gpu", "long"],
  leaseExpiresAt: now + 10_000,
  serverOkAt: now,
  requireWatchdog: true,
  serverGraceMs: limits.serverGraceMs,
  watchdog: { at: now, mode: "act" },
  slurmVersion: "25.11.7",
  slurmReleases: [],
  isKillSwitchOn: false,
  restartsBegunAt: [],
  restartsPerMinuteMax: limits.restartsPerMinuteMax,
};
const said = { reason: "maintenance", by: "ann", at: now };
const closing: GateFacts = { ...facts, mode: "observe", partitions: [], observes: said };
const { leaseExpiresAt: _lease, ...noLease } = facts;
const { slurmVersion: _version, ...ofNoVersion } = facts;
const requeue: Step = { kind: "requeue-hold", isRunning: false };
const release: Step = { kind: "release" };
const intent: Step = { kind: "mark", marker: { id: "a", generation: 1, step: "intent", at: now } };
const settledMs = limits.commandLimitMs + limits.settleMs;
const many = Array.from({ length: limits.restartsPerMinuteMax }, () => now - 1_000);

// biome-ignore format: a table reads in columns.
const cases: [situation: string, step: Step, facts: GateFacts, partition: string, answer: string][] = [
  ["an acting SAC",                        requeue, facts, "gpu", "yes"],
  ["observe mode",                         requeue, { ...facts, mode: "observe" }, "gpu", "observe mode"],
  ["observe mode, even to let go",         release, { ...facts, mode: "observe" }, "gpu", "observe mode"],
  ["observe mode, ordered",                requeue, closing, "gpu", "observe mode, ordered by ann: maintenance"],
  ["…when we hold nothing",                release, { ...closing, isRequeuedByUs: true }, "gpu", "ordered by ann"],
  ["…when somebody else holds it",         release, { ...closing, isHoldOpen: true }, "gpu", "ordered by ann"],
  ["…but our own open hold goes",          release, { ...closing, isRequeuedByUs: true, isHoldOpen: true }, "gpu", "yes"],
  ["…and nothing new is begun even then",  requeue, { ...closing, isRequeuedByUs: true, isHoldOpen: true }, "gpu", "ordered by ann"],
  ["one partition of two is not listed",   requeue, facts, "gpu,other", "partition other is not on the allowlist"],
  ["…nor when its source ran in the other", release, facts, "gpu,other", "partition other is not on the allowlist"],
  ["…but our own hold goes",               release, { ...facts, isRequeuedByUs: true }, "gpu,other", "yes"],
  ["…and nothing new is begun",            requeue, { ...facts, isRequeuedByUs: true }, "gpu,other", "partition other is not on the allowlist"],
  ["both are",                             requeue, facts, "gpu,long", "yes"],
  ["a Slurm that nobody has tried",        requeue, { ...facts, slurmVersion: "27.05.1" }, "gpu", "not tried on Slurm 27.05.1"],
  ["…nor its intent",                      intent,  { ...facts, slurmVersion: "27.05.1" }, "gpu", "not tried on Slurm 27.05.1"],
  ["…though another one is allowed",       requeue, { ...facts, slurmVersion: "27.05.1", slurmReleases: ["26.11"] }, "gpu", "`slurm_releases` does not name 27.05"],
  ["…which the operator has named",        requeue, { ...facts, slurmVersion: "27.05.1", slurmReleases: ["27.05"] }, "gpu", "yes"],
  ["…upgraded under us: what is held may go", release, { ...facts, slurmVersion: "27.05.1" }, "gpu", "yes"],
  ["a Slurm that did not say what it is",  requeue, ofNoVersion, "gpu", "release of slurmctld is not known"],
  ["no lease",                             requeue, noLease, "gpu", "does not hold the lease"],
  ["a lease that has run out",             requeue, { ...facts, leaseExpiresAt: now }, "gpu", "does not hold the lease"],
  ["no lease: the intent is new too",      intent,  noLease, "gpu", "does not hold the lease"],
  ["no lease: what is held may go",        release, noLease, "gpu", "yes"],
  ["…not for ever",                        release, { ...noLease, serverOkAt: now - limits.serverGraceMs - 1 }, "gpu", "away for longer"],
  ["…but for as long as the site says",    release, { ...noLease, serverGraceMs: 2 * limits.serverGraceMs, serverOkAt: now - limits.serverGraceMs - 1 }, "gpu", "yes"],
  ["…or no longer than it says",           release, { ...noLease, serverGraceMs: 60_000, serverOkAt: now - 60_001 }, "gpu", "away for longer than 60 s"],
  ["another SAC had the lease: its restarts count", requeue, { ...facts, takenOverAt: now - limits.restartsMinuteMs + 1 }, "gpu", "restarts of the last minute are not known"],
  ["…for a minute",                        requeue, { ...facts, takenOverAt: now - limits.restartsMinuteMs }, "gpu", "yes"],
  ["…and hold nothing back that is held",  release, { ...facts, takenOverAt: now }, "gpu", "yes"],
  ["no watchdog",                          requeue, { ...facts, watchdog: undefined }, "gpu", "no living watchdog"],
  ["a watchdog that has stopped",          requeue, { ...facts, watchdog: { at: now - limits.heartbeatStaleMs - 1, mode: "act" } }, "gpu", "no living watchdog"],
  ["a watchdog that only observes",        requeue, { ...facts, watchdog: { at: now, mode: "observe" } }, "gpu", "watchdog beside this SAC is in observe mode"],
  ["no watchdog: what is held may go",     release, { ...facts, watchdog: undefined }, "gpu", "yes"],
  ["the kill switch",                      requeue, { ...facts, isKillSwitchOn: true }, "gpu", "kill switch"],
  ["the kill switch: what is held may go", release, { ...facts, isKillSwitchOn: true }, "gpu", "yes"],
  ["a stop that was ordered",              requeue, { ...facts, stop: said }, "gpu", "stopped by ann: maintenance"],
  ["a stop: what is held may go",          release, { ...facts, stop: said }, "gpu", "yes"],
  ["just after another SAC's lease",       requeue, { ...facts, takenOverAt: now - settledMs + 1 }, "gpu", "may still arrive"],
  ["…a while later",                       intent,  { ...facts, takenOverAt: now - settledMs }, "gpu", "yes"],
  ["a wave of restarts",                   requeue, { ...facts, restartsBegunAt: many }, "gpu", "the cap is 30"],
  ["…a minute later",                      requeue, { ...facts, restartsBegunAt: many.map((at) => at - 60_000) }, "gpu", "yes"],
];

test.each(cases)("%s", (_situation, step, given, partition, answer) => {
  const permission = mayTake(step, { partition } as Work, { partition } as SlurmJob, given, now);
  if (answer === "yes") expect(permission).toEqual({ isGiven: true });
  else expect(permission).toMatchObject({ isGiven: false, why: expect.stringContaining(answer) as string });
});

test("what our requeue has made is ended, also where a partition is not listed; its source is not", () => {
  const [work, cancel] = [{ partition: "gpu,other", attemptIndex: 0 } as Work, { kind: "cancel" } as const];
  const may = (restartCount: number, given: GateFacts) =>
    mayTake(cancel, work, { partition: "gpu,other", restartCount } as SlurmJob, given, now).isGiven;
  const ours = { ...facts, isRequeuedByUs: true };
  expect(may(1, ours)).toBe(true);
  expect(may(0, ours)).toBe(false);
  expect(may(1, facts)).toBe(false);
  expect(may(1, { ...ours, isKillSwitchOn: true })).toBe(false);
});

test("what only holds back for a while says so: it is an alarm", () => {
  const brakeOf = (given: GateFacts) => {
    const permission = mayTake(requeue, { partition: "gpu" } as Work, { partition: "gpu" } as SlurmJob, given, now);
    return permission.isGiven ? undefined : permission.brake;
  };
  expect(brakeOf({ ...facts, isKillSwitchOn: true })).toBe("kill-switch");
  expect(brakeOf({ ...facts, stop: said })).toBe("stop-order");
  expect(brakeOf({ ...facts, restartsBegunAt: many })).toBe("restarts-per-minute");
  expect(brakeOf(closing)).toBeUndefined();
  expect(brakeOf(noLease)).toBeUndefined();
});

test("the release of a job by its gates is new: it lets go of a hold that is not ours", () => {
  const released = { partition: "gpu", desired: "RELEASED" } as Work;
  const may = (given: GateFacts) => mayTake(release, released, { partition: "gpu" } as SlurmJob, given, now);
  expect(may(facts)).toEqual({ isGiven: true });
  for (const [given, why] of [
    [noLease, "does not hold the lease"],
    [{ ...facts, isKillSwitchOn: true }, "kill switch"],
    [{ ...facts, watchdog: undefined }, "no living watchdog"],
    [{ ...facts, partitions: ["other"] }, "not on the allowlist"],
  ] as const)
    expect(may(given)).toMatchObject({ isGiven: false, why: expect.stringContaining(why) as string });
});

test("in observe mode nothing is permitted, whatever else holds (12)", () => {
  const marker = { id: "a", generation: 1, at: now };
  const anyStep = fc.constantFrom<Step>(
    requeue,
    release,
    { kind: "cancel" },
    { kind: "set-start", inSeconds: 2 },
    { kind: "mark", marker: { ...marker, step: "held" } },
    { kind: "update-constraints", exclude: ["n1"], ours: ["n1"], droppedNodes: [] },
  );
  const anyFacts = fc.record({
    isKillSwitchOn: fc.boolean(),
    requireWatchdog: fc.boolean(),
    leaseExpiresAt: fc.integer({ min: now - 5, max: now + 5 }),
  });
  fc.assert(
    fc.property(anyStep, anyFacts, fc.subarray(["gpu", "long", "other"]), (step, change, partitions) => {
      const given: GateFacts = { ...facts, ...change, partitions, mode: "observe" };
      expect(mayTake(step, { partition: "gpu" } as Work, { partition: "gpu" } as SlurmJob, given, now).isGiven).toBe(
        false,
      );
    }),
  );
});
