/**
 * watchOnce: one pass of the watchdog: lets go what recovery left held, when recovery itself has stopped working.
 *
 * In the loop   view + journal + heartbeat → strandedHolds → **lock → look again → release**
 * Writes        Slurm (release only) and the journal. If the journal cannot be written it still releases.
 * Keeps         never requeues, cancels, constrains, or touches a hold that is not ours; an administrator's hold laid over ours
 *               stays. Without the lock for `lockWaitMs` it raises the epoch, so that whoever has the lock sends nothing more.
 * Source        design §7, "watchdog".
 */
import { limits } from "@reprise/core/limits.ts";
import type { Instant, SlurmJob } from "@reprise/core/nouns.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import { traceOf } from "@reprise/core/sequence/sequence.ts";
import {
  type Heartbeat,
  heldSince,
  type JournalledAttempt,
  mayHold,
  recoveryLife,
  type Silence,
  type Stranded,
  strandedHolds,
} from "@reprise/core/watchdog/stranded.ts";
import { type Clock, momentOf } from "@reprise/runtime/clock.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Beside } from "../beside.ts";
import { type AgeOf, createAges } from "../ages.ts";
import { type Blindness, createBlindness } from "../blindness.ts";
import { expectedOf } from "../command-of.ts";
import type { WatchdogConfig } from "../config.ts";
import type { Journal, StepWithKey } from "../journal.ts";
import { noteLanding } from "../landing.ts";
import { readMarker } from "../slurm/admin-comment.ts";
import type { Outcome, Slurm } from "../slurm/slurm.ts";
import { createStepAges, type StepsAsSeen } from "../step-ages.ts";

export interface WatchdogParts {
  readonly config: Pick<WatchdogConfig, "mode" | "failOpenAfterMs" | "serverGraceMs">;
  readonly slurm: Slurm;
  readonly journal: Journal;
  readonly beside: Beside;
  readonly tryLock: () => { release(): void } | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export interface WatchdogState {
  readonly blindness: Blindness;
  readonly ageOf: AgeOf;
  readonly stepsAsSeen: StepsAsSeen;
  /** Since when the lock is wanted and not had, by the clock that nobody can set. */
  lockWantedSince: number | undefined;
  /** The last look that Slurm answered. */
  lookOkAt: Instant | undefined;
  /** Of the last pass. Undefined: Slurm could not be read. */
  found: { readonly stranded: number; readonly isRecoveryLiving: boolean } | undefined;
}

/** @param silences As the watchdog before has left them. */
export const newWatchdogState = (clock: Clock, silences?: readonly Silence[]): WatchdogState => ({
  blindness: createBlindness(clock, silences),
  ageOf: createAges(clock),
  stepsAsSeen: createStepAges(clock),
  lockWantedSince: undefined,
  lookOkAt: undefined,
  found: undefined,
});

/** @returns Whether a hold of ours is there or may still come; true when it is not known. */
export async function watchOnce(
  parts: WatchdogParts,
  state: WatchdogState,
): Promise<{ readonly isAnythingHeld: boolean }> {
  const { config, beside, clock, log } = parts;
  const { lookOkAt } = state;
  const looked = lookOkAt === undefined ? {} : { lookOkAt };
  const silences = state.blindness.silences();
  journalled(parts, () => beside.beatWatchdog({ at: clock.now(), mode: config.mode, silences, ...looked }));
  const seen = await look(parts, state);
  state.found = undefined;
  if (seen === undefined) return { isAnythingHeld: true };
  const life = recoveryLife(heartbeat(parts, state), clock.now(), config);
  state.found = { stranded: seen.stranded.length, isRecoveryLiving: life.isLiving };
  const isAnythingHeld = seen.mayHold;
  if (life.isLiving || seen.stranded.length === 0) {
    state.lockWantedSince = undefined;
    return { isAnythingHeld };
  }
  if (config.mode !== "act") {
    for (const { job } of seen.stranded)
      log.warn({ job: job.jobId }, `${life.why}; in act mode the watchdog would release job ${job.jobId}`);
    return { isAnythingHeld };
  }
  await withLock(parts, state, async () => {
    for (const one of (await look(parts, state))?.stranded ?? []) await release(parts, one, life.why);
  });
  return { isAnythingHeld };
}

/** As old as this program has seen it become: the host's clock may be set while nobody of SAC lives. */
function heartbeat({ beside, clock }: WatchdogParts, { ageOf }: WatchdogState): Heartbeat | undefined {
  const left = beside.heartbeat();
  if (left === undefined) return undefined;
  const seen = (name: "at" | "passOkAt" | "serverOkAt") => clock.now() - ageOf(name, left[name]);
  return { ...left, at: seen("at"), passOkAt: seen("passOkAt"), serverOkAt: seen("serverOkAt") };
}

interface Look {
  /** Holds of ours that are older than `failOpenAfterMs`. */
  readonly stranded: readonly Stranded[];
  readonly mayHold: boolean;
}

/** Undefined: Slurm could not be read. */
async function look(parts: WatchdogParts, state: WatchdogState): Promise<Look | undefined> {
  const { slurm, journal, clock, config } = parts;
  journal.refresh();
  const { after } = momentOf(clock);
  const view = await slurm.look(journal.open().length === 0 ? "at-rest" : "whole");
  const now = clock.now();
  state.blindness.looked(view.kind === "seen" ? "answered" : "silent", momentOf(clock));
  if (view.kind !== "seen") return undefined;
  state.lookOkAt = now;
  const [jobs, blind] = [view.value, state.blindness.msSince];
  const aged = (steps: readonly StepWithKey[]) => state.stepsAsSeen(steps, { at: view.at, after });
  for (const attempt of journal.open()) {
    const sight = { job: jobs.jobs.get(attempt.jobId), viewAt: view.at, blindness: state.blindness, aged };
    journalled(parts, () => noteLanding(journal, attempt, sight, now));
  }
  // With what was noted.
  const stepsOf = ({ heimdallJobId }: JournalledAttempt) => aged(journal.stepsOf(heimdallJobId));
  const attempts = journal.open().map((attempt) => ({ ...attempt, steps: stepsOf(attempt) }));
  const heldForMs = ({ heimdallJobId }: JournalledAttempt, job: SlurmJob) => {
    const ageMs = state.ageOf(`held ${heimdallJobId}`, heldSince(journal.stepsOf(heimdallJobId), job));
    return ageMs - blind(now - ageMs);
  };
  const markerOf = (job: SlurmJob) => readMarker(job.adminComment);
  return {
    stranded: strandedHolds(jobs, attempts, markerOf, blind, config.failOpenAfterMs, now, heldForMs),
    mayHold: mayHold(jobs, attempts, markerOf, blind, now),
  };
}

/** The lock; or, when nobody gives it up, a raised epoch, which every command child checks before it sends. */
async function withLock(
  { tryLock, beside, clock, log }: WatchdogParts,
  state: WatchdogState,
  act: () => Promise<void>,
): Promise<void> {
  const lock = tryLock();
  if (lock !== undefined) {
    state.lockWantedSince = undefined;
    await act().finally(() => lock.release());
    return;
  }
  state.lockWantedSince ??= clock.elapsed();
  if (clock.elapsed() - state.lockWantedSince < limits.lockWaitMs) return;
  const { epoch } = beside.raiseFence({ epoch: beside.fence().epoch + 1 });
  log.warn({ epoch }, "the lock was not given up; going on under a raised epoch");
  await act();
}

async function release(parts: WatchdogParts, { attempt, job, heldForMs }: Stranded, why: string): Promise<void> {
  const { slurm, journal, beside, clock, log } = parts;
  const last = attempt.steps.findLast((step) => step.action === "watchdog-release");
  // Slurm shows a release late: a second one could lift a hold that its owner has laid since.
  if (last !== undefined && clock.now() < (last.endedAt ?? last.begunAt) + limits.settleMs) return;
  const reasons = await slurm.holdReasons([job.jobId]);
  if (reasons.kind === "seen" && reasons.value.get(job.jobId) === "admin") return; // Laid over ours: not ours to lift.
  const open = journal.open().find((a) => a.heimdallJobId === attempt.heimdallJobId);
  const key =
    open === undefined
      ? undefined
      : journalled(parts, () => journal.begin({ action: "watchdog-release", work: open.work }, clock.now()));
  const fence = { expected: expectedOf({ kind: "release" }, job), ...beside.fence() };
  const outcome = await slurm.apply({ kind: "release" }, fence);
  if (key !== undefined) journalled(parts, () => journal.end(key, outcome.kind, detailOf(outcome), clock.now()));
  log.warn(
    { job: job.jobId, ...namesOf(open), outcome: outcome.kind, heldForMs },
    `${why}: job ${job.jobId} was released by the watchdog`,
  );
}

const namesOf = (open: { readonly work: Work } | undefined) =>
  open === undefined ? {} : { attempt: open.work.attemptIndex, trace: traceOf(open.work) };

/** A journal that cannot be written must not keep a user's job held. */
function journalled<T>({ log }: WatchdogParts, write: () => T): T | undefined {
  try {
    return write();
  } catch (error) {
    log.error({ error: String(error) }, "the journal cannot be written; the watchdog goes on without it");
    return undefined;
  }
}

const detailOf = (outcome: Outcome) => (outcome.kind === "done" ? "" : outcome.detail);
