/**
 * sac-metrics: what SAC and the watchdog tell of themselves.
 *
 * Takes   how each stands after its last pass.
 * Keeps   what is not yet known is absent.
 */
import { type BrakeKind, brakeKinds, type Mode } from "@reprise/core/mode/cluster-orders.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import { measuredPort } from "@reprise/runtime/measured-port.ts";
import { callBuckets, type Metrics } from "@reprise/runtime/metrics.ts";
import type { Server } from "./server.ts";

/** How SAC stands now. Ages in ms. */
export interface SacStanding {
  readonly mode: Mode;
  /** Since a pass that Slurm and, where it was needed, the lease allowed. */
  readonly passAgeMs: number;
  readonly serverAgeMs: number;
  /** Absent: it has none. */
  readonly lease?: { readonly term: number; readonly leftMs: number };
  /** Absent: Slurm has not been seen. */
  readonly openHolds?: number;
  /** Advice that waits for each brake that is on. */
  readonly heldBack: ReadonlyMap<BrakeKind, number>;
}

export function addSacMetrics(metrics: Metrics, standing: () => SacStanding): void {
  const level = (name: string, help: string) => metrics.level({ name, help, labels: {} });
  const acts = level("reprise_sac_mode_acts", "1: this SAC may act as configured and ordered; 0: it observes.");
  const passAge = level("reprise_sac_pass_age_seconds", "Since SAC last looked at Slurm and did what was to do.");
  const serverAge = level("reprise_sac_server_age_seconds", "Since the server last answered SAC.");
  const term = level("reprise_sac_lease_term", "Of the right to act that this SAC holds.");
  const left = level("reprise_sac_lease_left_seconds", "How long this SAC may still use its right to act.");
  const holds = level("reprise_sac_open_holds", "Holds of recovery that are there, or may still come.");
  const brakes = metrics.level({
    name: "reprise_sac_brake_held_back",
    help: "Advice whose next step waits for this brake. Absent: the brake is off.",
    labels: { brake: brakeKinds },
  });
  const all = [acts, passAge, serverAge, term, left, holds, brakes];
  metrics.source("sac", all, () => {
    const now = standing();
    for (const one of all) one.clear();
    acts.set({}, now.mode === "act" ? 1 : 0);
    passAge.set({}, now.passAgeMs / 1_000);
    serverAge.set({}, now.serverAgeMs / 1_000);
    if (now.openHolds !== undefined) holds.set({}, now.openHolds);
    for (const [brake, count] of now.heldBack) brakes.set({ brake }, count);
    if (now.lease === undefined) return;
    term.set({}, now.lease.term);
    left.set({}, now.lease.leftMs / 1_000);
  });
}

/** How the watchdog stands after its last pass. */
export interface WatchdogStanding {
  readonly mode: Mode;
  /** Since Slurm last answered it (ms). Absent: not yet. */
  readonly lookAgeMs?: number;
  /** Holds of ours that are older than they may be. Absent: Slurm could not be read. */
  readonly stranded?: number;
  readonly isRecoveryLiving?: boolean;
}

export function addWatchdogMetrics(metrics: Metrics, standing: () => WatchdogStanding): void {
  const level = (name: string, help: string) => metrics.level({ name, help, labels: {} });
  const acts = level("reprise_watchdog_mode_acts", "1: the watchdog releases what is stranded; 0: it only says so.");
  const lookAge = level("reprise_watchdog_look_age_seconds", "Since Slurm last answered the watchdog.");
  const stranded = level("reprise_watchdog_stranded_holds", "Holds of recovery that are older than they may become.");
  const living = level("reprise_watchdog_recovery_living", "1: SAC works; 0: the watchdog takes over what is held.");
  const all = [acts, lookAge, stranded, living];
  metrics.source("watchdog", all, () => {
    const now = standing();
    for (const one of all) one.clear();
    acts.set({}, now.mode === "act" ? 1 : 0);
    if (now.lookAgeMs !== undefined) lookAge.set({}, now.lookAgeMs / 1_000);
    if (now.stranded !== undefined) stranded.set({}, now.stranded);
    if (now.isRecoveryLiving !== undefined) living.set({}, now.isRecoveryLiving ? 1 : 0);
  });
}

const calls = ["reportPass", "acquireLease", "listWork", "orders", "reportStatus", "recordMilestone"] as const;

/** The server as SAC calls it. */
export function measuredServer<S extends Server>(server: S, metrics: Metrics, clock: Pick<Clock, "elapsed">): S {
  const seconds = metrics.spread({
    name: "reprise_sac_server_call_seconds",
    help: "Of one call of SAC to the server.",
    labels: { call: calls, outcome: ["ok", "failed"] },
    buckets: callBuckets,
  });
  return measuredPort<Server, (typeof calls)[number]>(server, calls, clock, (call, passed, answer) =>
    seconds.observe({ call, outcome: answer === undefined ? "failed" : "ok" }, passed),
  ) as S;
}
