/**
 * stranded: which held jobs the watchdog must let go, because recovery itself has stopped working.
 *
 * In the loop   view + journal + heartbeat → **stranded** → release
 * Pure, total
 * Keeps         only a hold that is ours, only of a successor that is pending, only when recovery is not living, only after
 *               `failOpenAfterMs` during which slurmctld answered (invariant 10). When in doubt it is not released.
 * Source        design §7, "watchdog".
 */
import { readSlurmState } from "../fact/slurm-state.ts";
import { limits } from "../limits.ts";
import type { Instant, SlurmJob, SlurmView } from "../nouns.ts";
import { holdOwner, isRelease, lastRequeue } from "../plan/ownership.ts";
import type { JournalStep, Marker } from "../plan/work.ts";

/** From a look that slurmctld answered, or the first one, to the last one that it did not. */
export interface Silence {
  readonly from: Instant;
  readonly to: Instant;
}

/** What SAC leaves beside its journal after every pass. */
export interface Heartbeat {
  readonly at: Instant;
  /** The last pass that read Slurm and finished. */
  readonly passOkAt: Instant;
  /** The server last answered. */
  readonly serverOkAt: Instant;
  readonly mode: "observe" | "act";
  /** The last ones of slurmctld, for the next SAC: a hold of ours is none the older for them. */
  readonly silences?: readonly Silence[];
  /** When the last look that the server was told of was taken, as it was told: the next SAC tells later ones. */
  readonly toldAt?: Instant;
}

export type Life = { readonly isLiving: true } | { readonly isLiving: false; readonly why: string };

export interface Patience {
  readonly failOpenAfterMs: number;
  readonly serverGraceMs: number;
}

export function recoveryLife(
  heartbeat: Heartbeat | undefined,
  now: Instant,
  { failOpenAfterMs, serverGraceMs }: Patience,
): Life {
  if (heartbeat === undefined) return { isLiving: false, why: "SAC has left no heartbeat" };
  // A site that wants its jobs back sooner has to doubt sooner.
  const staleMs = Math.min(limits.heartbeatStaleMs, failOpenAfterMs / 3);
  const ages = { heartbeat: now - heartbeat.at, pass: now - heartbeat.passOkAt, server: now - heartbeat.serverOkAt };
  if (ages.heartbeat > staleMs) return { isLiving: false, why: `SAC's heartbeat is ${seconds(ages.heartbeat)} old` };
  if (ages.pass > staleMs) return { isLiving: false, why: `SAC's last good pass is ${seconds(ages.pass)} old` };
  if (ages.server > serverGraceMs)
    return { isLiving: false, why: `SAC has not reached its server for ${seconds(ages.server)}` };
  if (heartbeat.mode !== "act")
    return { isLiving: false, why: "SAC is in observe mode and cannot release what it held before" };
  return { isLiving: true };
}

/** One source attempt as the journal knows it. */
export interface JournalledAttempt {
  readonly heimdallJobId: string;
  readonly jobId: string;
  readonly attemptIndex: number;
  readonly steps: readonly JournalStep[];
}

export interface Stranded {
  readonly attempt: JournalledAttempt;
  readonly job: SlurmJob;
  readonly heldForMs: number;
}

/**
 * @param markerOf   What a job's AdminComment holds of us.
 * @param blindMsSince For how long slurmctld has not answered since that instant.
 * @param heldForMsOf How old the hold of an attempt is (`heldSince`), not counting the time in which slurmctld did not answer.
 */
export function strandedHolds(
  view: SlurmView,
  attempts: readonly JournalledAttempt[],
  markerOf: (job: SlurmJob) => Marker | undefined,
  blindMsSince: (since: Instant) => number,
  failOpenAfterMs: number,
  now: Instant,
  heldForMsOf: (attempt: JournalledAttempt, job: SlurmJob) => number,
): readonly Stranded[] {
  const found: Stranded[] = [];
  for (const attempt of attempts) {
    const job = view.jobs.get(attempt.jobId);
    if (job === undefined || readSlurmState(job.state).phase !== "pending" || job.reason === "BadConstraints") continue;
    const requeue = lastRequeue(attempt.steps);
    const blindMs = blindMsSince(requeue?.begunAt ?? now);
    if (holdOwner(attempt, job, attempt.steps, markerOf(job), { viewAt: now, blindMs }) !== "ours") continue;
    const heldForMs = heldForMsOf(attempt, job);
    if (heldForMs >= failOpenAfterMs) found.push({ attempt, job, heldForMs });
  }
  return found;
}

/** @param steps As they were written: their times and Slurm's are compared, whatever was done to the host's clock since. */
export function heldSince(steps: readonly JournalStep[], { submitAt }: SlurmJob): Instant {
  const requeue = lastRequeue(steps);
  const requeuedAt = requeue?.endedAt ?? requeue?.begunAt ?? submitAt;
  // A source that ran leaves late; slurmctld's clock may be ahead of this host's.
  return Math.max(requeuedAt, Math.min(submitAt, requeuedAt + limits.claimWindowMs));
}

/**
 * Whether a hold of ours is there, or may still come: an attempt that is leaving, a requeue that may yet land, a release that
 * Slurm has not saved. A watchdog that nobody needs any more ends only when this is false.
 */
export function mayHold(
  view: SlurmView,
  attempts: readonly JournalledAttempt[],
  markerOf: (job: SlurmJob) => Marker | undefined,
  blindMsSince: (since: Instant) => number,
  now: Instant,
): boolean {
  return attempts.some((attempt) => isHoldOpen(view, attempt, markerOf, blindMsSince, now));
}

/** The same of one attempt. */
export function isHoldOpen(
  view: SlurmView,
  attempt: JournalledAttempt,
  markerOf: (job: SlurmJob) => Marker | undefined,
  blindMsSince: (since: Instant) => number,
  now: Instant,
): boolean {
  const requeue = lastRequeue(attempt.steps);
  const blindMs = blindMsSince(requeue?.begunAt ?? now);
  if (view.unreadable.has(attempt.jobId)) return true; // It changed while it was read, say: it is there.
  const job = view.jobs.get(attempt.jobId);
  if (job === undefined || job.restartCount > attempt.attemptIndex + 1) return false;
  const { phase } = readSlurmState(job.state);
  if (phase === "completing" || phase === "unrecognised") return true;
  const isRecent = (s: JournalStep, windowMs: number) => now < (s.endedAt ?? s.begunAt) + windowMs;
  if (job.restartCount === attempt.attemptIndex)
    return requeue !== undefined && isRecent(requeue, limits.claimWindowMs + blindMs);
  if (phase !== "pending") return false;
  if (holdOwner(attempt, job, attempt.steps, markerOf(job), { viewAt: now, blindMs }) === "ours") return true;
  return attempt.steps.some((s) => isRelease(s) && isRecent(s, limits.settleMs));
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
