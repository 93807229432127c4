/**
 * Goal    what SAC and the watchdog tell of themselves is how they stand; calls to Slurm are counted by how they ended.
 * Method  registries over ports that answer as the test says.
 */
import { expect, test } from "vitest";
import { createMetrics } from "@reprise/runtime/metrics.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { addSacMetrics, addWatchdogMetrics, type SacStanding, type WatchdogStanding } from "./sac-metrics.ts";
import type { Fence, Outcome, Slurm } from "./slurm/slurm.ts";
import { measuredSlurm } from "./slurm-metrics.ts";

const told = async (metrics: { text(): Promise<string> }, pattern: RegExp) =>
  (await metrics.text()).split("\n").filter((line) => !line.startsWith("#") && pattern.test(line));

test("SAC tells its ages, its lease, its holds and its brakes; without a lease it tells none", async () => {
  const metrics = createMetrics(fakeLife().log);
  let standing: SacStanding = {
    mode: "act",
    passAgeMs: 1_500,
    serverAgeMs: 250,
    lease: { term: 7, leftMs: 20_000 },
    openHolds: 2,
    heldBack: new Map([["kill-switch", 3]]),
  };
  addSacMetrics(metrics, () => standing);
  expect(await told(metrics, /^reprise_sac/)).toEqual([
    "reprise_sac_mode_acts 1",
    "reprise_sac_pass_age_seconds 1.5",
    "reprise_sac_server_age_seconds 0.25",
    "reprise_sac_lease_term 7",
    "reprise_sac_lease_left_seconds 20",
    "reprise_sac_open_holds 2",
    'reprise_sac_brake_held_back{brake="kill-switch"} 3',
  ]);
  standing = { mode: "observe", passAgeMs: 0, serverAgeMs: 0, heldBack: new Map() };
  expect(await told(metrics, /^reprise_sac/)).toEqual([
    "reprise_sac_mode_acts 0",
    "reprise_sac_pass_age_seconds 0",
    "reprise_sac_server_age_seconds 0",
  ]);
});

test("a watchdog that cannot see Slurm does not say that nothing is stranded", async () => {
  const metrics = createMetrics(fakeLife().log);
  let standing: WatchdogStanding = { mode: "act", lookAgeMs: 0, stranded: 1, isRecoveryLiving: false };
  addWatchdogMetrics(metrics, () => standing);
  expect(await told(metrics, /^reprise_watchdog/)).toEqual([
    "reprise_watchdog_mode_acts 1",
    "reprise_watchdog_look_age_seconds 0",
    "reprise_watchdog_stranded_holds 1",
    "reprise_watchdog_recovery_living 0",
  ]);
  standing = { mode: "act", lookAgeMs: 9_000 };
  expect(await told(metrics, /^reprise_watchdog/)).toEqual([
    "reprise_watchdog_mode_acts 1",
    "reprise_watchdog_look_age_seconds 9",
  ]);
});

test("a call to Slurm is counted as it ended: read, not readable, or a command's outcome", async () => {
  const life = fakeLife();
  const metrics = createMetrics(life.log);
  const outcomes: Outcome[] = [{ kind: "done" }, { kind: "unknown", detail: "a time-out" }];
  const slurm = measuredSlurm(
    {
      look: () => Promise.resolve({ kind: "unavailable", because: "no answer", at: 0 }),
      holdReasons: () => Promise.reject(new Error("a bug")),
      apply: () => Promise.resolve({ kind: "done" }),
      applyAll: () => Promise.resolve(outcomes),
    } as unknown as Slurm,
    metrics,
    life.clock,
  );
  const fence = {} as Fence;
  await slurm.look();
  await expect(slurm.holdReasons([])).rejects.toThrow("a bug");
  await slurm.apply({ kind: "cancel" }, fence);
  await slurm.applyAll([
    { command: { kind: "release" }, fence },
    { command: { kind: "release" }, fence },
  ]);
  expect(await told(metrics, /seconds_count|commands_total.* [1-9]/)).toEqual([
    'reprise_slurm_call_seconds_count{call="look",outcome="unavailable"} 1',
    'reprise_slurm_call_seconds_count{call="holdReasons",outcome="failed"} 1',
    'reprise_slurm_call_seconds_count{call="apply",outcome="answered"} 1',
    'reprise_slurm_call_seconds_count{call="applyAll",outcome="answered"} 1',
    'reprise_slurm_commands_total{command="release",outcome="done"} 1',
    'reprise_slurm_commands_total{command="release",outcome="unknown"} 1',
    'reprise_slurm_commands_total{command="cancel",outcome="done"} 1',
  ]);
});
