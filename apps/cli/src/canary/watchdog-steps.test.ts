/**
 * Goal    of fail-open a canary claims only what the heartbeats show.
 * Method  one living watchdog beside an acting SAC; each row changes one thing.
 */
import { expect, test } from "vitest";
import type { Beats } from "../doctor/machine.ts";
import { watchdogSteps } from "./watchdog-steps.ts";

const now = 1_000_000;
const sac = { at: now - 1_000, passOkAt: now - 1_000, serverOkAt: now - 1_000, mode: "act" } as const;
const watchdog = { at: now - 1_000, lookOkAt: now - 3_000, mode: "act" } as const;
const beats: Beats = { sac, watchdog, isKillSwitchOn: false };
const { lookOkAt: _, ...blind } = watchdog;

const rows: [what: string, beats: Beats, verdicts: string][] = [
  ["lives, sees and may release", beats, "ok ok ok"],
  ["is silent", { ...beats, watchdog: { ...watchdog, at: now - 31_000 } }, "fail ok ok"],
  ["has not seen Slurm for a while", { ...beats, watchdog: { ...watchdog, lookOkAt: now - 31_000 } }, "ok fail ok"],
  ["has never seen Slurm", { ...beats, watchdog: blind }, "ok fail ok"],
  ["observes beside an acting SAC", { ...beats, watchdog: { ...watchdog, mode: "observe" } }, "ok ok fail"],
  [
    "observes, as SAC does",
    { ...beats, sac: { ...sac, mode: "observe" }, watchdog: { ...watchdog, mode: "observe" } },
    "ok ok would",
  ],
  ["is not there", { sac, isKillSwitchOn: false }, "fail"],
  ["is on another host", { isKillSwitchOn: false }, "unproven"],
];
test.each(rows)("a watchdog that %s", (_what, left, verdicts) => {
  const steps = watchdogSteps(left, "/var/lib/reprise/sac", now);
  expect(steps.map(({ verdict }) => verdict).join(" ")).toBe(verdicts);
  expect(steps.filter(({ verdict, todo }) => verdict === "fail" && todo === undefined)).toEqual([]);
});
