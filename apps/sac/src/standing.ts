/**
 * standing: what SAC says of itself after a pass: which holds of ours are open, which brakes bite, and whether it counts as a living
 * recovery to its watchdog.
 *
 * Keeps         ordered to observe, it is a living recovery until what it holds is let go; or until `failOpenAfterMs` have passed and a
 *               living watchdog in act mode can take over: nobody stays held.
 * Source        docs/decisions/0038.
 */
import { limits } from "@reprise/core/limits.ts";
import {
  type Brake,
  type BrakeKind,
  brakeKinds,
  type Mode,
  type ModeReport,
} from "@reprise/core/mode/cluster-orders.ts";
import type { Instant, Seen, SlurmJob } from "@reprise/core/nouns.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import { isHoldOpen } from "@reprise/core/watchdog/stranded.ts";
import { atLeastMs, momentOf } from "@reprise/runtime/clock.ts";
import { inForce } from "./orders.ts";
import type { Parts, State } from "./state.ts";
import { readMarker } from "./slurm/admin-comment.ts";
import type { Pass } from "./slurm/slurm.ts";

type SeenPass = Seen<Pass> & { readonly kind: "seen" };

/** A hold of ours on the job of this work is there, or may still come. */
export function holdsStill(
  { journal }: Pick<Parts, "journal">,
  { blindness, stepsAsSeen, lookAsked }: State,
  { heimdallJobId, jobId, attemptIndex }: Pick<Work, "heimdallJobId" | "jobId" | "attemptIndex">,
  view: SeenPass,
): boolean {
  const steps = stepsAsSeen(journal.stepsOf(heimdallJobId), { at: view.at, after: lookAsked.after });
  const attempt = { heimdallJobId, jobId, attemptIndex, steps };
  const markerOf = (job: SlurmJob) => readMarker(job.adminComment);
  return isHoldOpen(view.value, attempt, markerOf, blindness.msSince, view.at);
}

/** After each pass, whatever became of it. */
export function takeStock(parts: Parts, state: State, view: Seen<Pass>): void {
  const now = parts.clock.now();
  if (view.kind === "seen")
    state.openHolds = parts.journal.open().filter((attempt) => holdsStill(parts, state, attempt, view)).length;
  state.openHolds ??= parts.journal.open().length;
  const isClosing = inForce(parts, state).observes !== undefined && state.openHolds > 0;
  state.closing = isClosing ? (state.closing ?? momentOf(parts.clock)) : undefined;
  const before = state.brakes;
  state.brakes = brakesOf(parts, state, now);
  for (const brake of state.brakes)
    if (!isIn(before, brake)) parts.log.warn(brake, "a brake bites: what would be begun waits");
  for (const brake of before) if (!isIn(state.brakes, brake)) parts.log.info(brake, "a brake is off again");
}

const isIn = (brakes: readonly Brake[], { kind }: Brake) => brakes.some((one) => one.kind === kind);

/** To the watchdog: `observe` lets it take over what is still held. */
export function modeOfHeartbeat(parts: Parts, state: State): Mode {
  const { mode, observes } = inForce(parts, state);
  if (observes === undefined) return mode;
  return state.closing !== undefined && !isHandedOver(parts, state.closing) ? "act" : "observe";
}

function isHandedOver({ beside, clock, config }: Parts, since: NonNullable<State["closing"]>): boolean {
  const watchdog = beside.watchdogBeat();
  const canTakeOver = watchdog?.mode === "act" && clock.now() - watchdog.at <= limits.heartbeatStaleMs;
  return canTakeOver && atLeastMs(since, momentOf(clock)) > config.failOpenAfterMs;
}

export const modeReport = ({ config, journal }: Parts, { orders, openHolds, brakes }: State): ModeReport => ({
  allowed: { mode: config.mode, partitions: config.partitions },
  ordersGeneration: orders.generation,
  openHolds: openHolds ?? journal.open().length,
  brakes,
});

/** What is on, whether or not it holds anything back; and the cap while it does. */
function brakesOf({ beside, config }: Parts, { orders, bitten, brakes }: State, now: Instant): readonly Brake[] {
  if (config.mode !== "act") return [];
  const isOn: Readonly<Record<BrakeKind, boolean>> = {
    "kill-switch": beside.isKillSwitchOn(),
    "stop-order": orders.stop !== undefined,
    "restarts-per-minute": bitten.has("restarts-per-minute"),
  };
  return brakeKinds
    .filter((kind) => isOn[kind])
    .map((kind) => ({
      kind,
      since: brakes.find((before) => before.kind === kind)?.since ?? now,
      heldBack: bitten.get(kind)?.size ?? 0,
    }));
}
