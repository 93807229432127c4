/**
 * watchdog-steps: what can be said of fail-open without stopping anything: whether the watchdog lives, sees Slurm and may release.
 *
 * Takes   what SAC and the watchdog last left beside the journal, where this machine has it.
 * Pure, total
 * Keeps   a release by the watchdog that runs is never claimed: it would need a dead SAC.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Beats } from "../doctor/machine.ts";
import type { CanaryStep } from "./step.ts";

const todo =
  "`reprise watchdog --watchdog-mode act` beside SAC; its own log (`watchdog.log` in the data folder) says what it waits for.";
export const failOpenName = "fail-open";
/** Of a canary that was not asked to try it. */
export const untried: CanaryStep = {
  name: failOpenName,
  verdict: "unproven",
  says: "that a hold is let go when SAC is dead was not tried: --fail-open tries it, with a second job and a watchdog of its own",
};

/** @param folder For the message: where the heartbeats should be. */
export function watchdogSteps({ sac, watchdog }: Beats, folder: string, now: Instant): readonly CanaryStep[] {
  if (sac === undefined && watchdog === undefined) {
    const says = `there is no heartbeat in ${folder}: run the canary on SAC's host, with its --data`;
    return [{ name: "watchdog lives", verdict: "unproven", says }];
  }
  if (watchdog === undefined)
    return [{ name: "watchdog lives", verdict: "fail", says: "it has left no heartbeat", todo }];
  return [lives(watchdog.at, now), sees(watchdog.lookOkAt, now), mayRelease(watchdog.mode, sac?.mode)];
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;

function lives(at: Instant, now: Instant): CanaryStep {
  const says = `its heartbeat is ${seconds(now - at)} old`;
  if (now - at <= limits.heartbeatStaleMs) return { name: "watchdog lives", verdict: "ok", says };
  return { name: "watchdog lives", verdict: "fail", says, todo };
}

function sees(lookOkAt: Instant | undefined, now: Instant): CanaryStep {
  const name = "watchdog sees Slurm";
  if (lookOkAt === undefined) return { name, verdict: "fail", says: "Slurm has never answered it", todo };
  const says = `its last look that Slurm answered is ${seconds(now - lookOkAt)} old`;
  return now - lookOkAt <= limits.heartbeatStaleMs
    ? { name, verdict: "ok", says }
    : { name, verdict: "fail", says, todo };
}

function mayRelease(mode: "observe" | "act", sacMode: "observe" | "act" | undefined): CanaryStep {
  const name = "watchdog may release";
  if (mode === "act") return { name, verdict: "ok", says: "it is in act mode" };
  return sacMode === "act"
    ? { name, verdict: "fail", says: "SAC acts, and its watchdog only observes", todo }
    : { name, verdict: "would", says: "it observes, as SAC does: it says what it would release" };
}
