/**
 * successor: what comes next for attempt k+1: constrain it, then release it, then let it start soon, then be content.
 *
 * In the loop   part of plan; each step only when the one before is seen in Slurm
 * Pure, total
 * Keeps         invariants 2, 10, 11: a successor that has started is left alone; only our own hold is released; an
 *               exclusion never leaves the job unable to run.
 * Source        design §7.
 */
import { isLeader } from "../fact/heterogeneous.ts";
import { hasBadConstraints, hasEnded, isCompleting, isUnrecognised, readSlurmState } from "../fact/slurm-state.ts";
import { limits } from "../limits.ts";
import type { Instant, Seen, SlurmJob, SlurmView } from "../nouns.ts";
import { isOfChain } from "./chain.ts";
import { constraintsOf, dropWeakest, type Lack, lacksOf, tooOften } from "./constraints.ts";
import { isSingleton } from "./dependents.ts";
import { holdOwner, isOurRequeue, lastRequeue, type Sight } from "./ownership.ts";
import { abandon, type Known, markerOf, type Plan, satisfied, tried, wait } from "./step.ts";
import type { Marker, Work } from "./work.ts";

/** Slurm's StartTime and ours are whole seconds; this far apart they are the same. */
const sameStartMs = 2_500;

export function planSuccessor(work: Work, job: SlurmJob, view: Seen<SlurmView>, known: Known, now: Instant): Plan {
  const { phase } = readSlurmState(job.state);
  const lacks = lacksOf(work, view, job, known, now);
  const leaving = lacks.find(({ part }) => isCompleting(part) || isUnrecognised(part));
  if (leaving !== undefined) return wait(`component ${leaving.part.jobId} is ${leaving.part.state}`);
  const missing = [...new Set(lacks.flatMap((lack) => lack.missing))];
  if (job.state === "CANCELLED") return cancelled(work, known);
  if (phase !== "pending") return started(job, missing, known);

  // Slurm's own hold (priority 0) for a job that it cannot place: nobody's, and for good unless an exclusion goes.
  const bad = lacks.find(({ part }) => hasBadConstraints(part));
  if (bad !== undefined) return dropWeakest(work, bad, view.at, known);
  const sight = { viewAt: view.at, blindMs: known.blindMs };
  const owner = holdOwner(work, job, known.steps, known.marker.value, sight);
  if (owner === "theirs")
    return abandon("HELD_BY_OTHERS", `the successor carries a hold that is not ours (${job.reason})`);
  if (work.withdrawn || now >= work.expiresAt) return letGo(work, job, owner, sight, known);

  const marker = markerOf(work, "held", now);
  const needsMarker =
    owner === "ours" &&
    known.marker.writable &&
    (known.marker.value?.id !== marker.id || known.marker.value.step !== "held") &&
    !markedHeld(work, known);
  const chain = owner === "ours" ? lostChain(work, job, view, known) : undefined;
  const next = nextLack(lacks, chain, owner);
  const isRefused = tooOften(work, next.part, known);
  if (next.missing.length > 0 && isRefused) return withoutExclusion(work, job, owner, missing, known, now);
  if (next.missing.length > 0 || ((chain !== undefined || next.over.length > 0) && !isRefused))
    return constrain(work, next, job, needsMarker ? { marker } : {}, chain);
  if (needsMarker) return { kind: "act", step: { kind: "mark", marker }, job, why: "the hold is marked as ours" };
  if (owner === "ours") return release(work, job, known, now, "the successor is constrained; our hold goes");
  return startSoon(work, job, known, now);
}

/** The leader as long as something is to be written into it; then the components. What is over goes only while the job is held by us. */
function nextLack(
  [leader, ...led]: readonly [Lack, ...Lack[]],
  chain: string | undefined,
  owner: "ours" | "none",
): Lack {
  const inTime = (lack: Lack): Lack => (owner === "ours" ? lack : { ...lack, over: [] });
  if (chain !== undefined) return inTime(leader);
  const lacks = [leader, ...led].map(inTime);
  return lacks.find(({ missing, over }) => missing.length > 0 || over.length > 0) ?? inTime(leader);
}

function constrain(
  work: Work,
  lack: Lack,
  job: SlurmJob,
  marked: { readonly marker?: Marker },
  chain: string | undefined,
): Plan {
  const { part, missing, over } = lack;
  const ofLeader = part.jobId === job.jobId ? { ...marked, ...(chain === undefined ? {} : { dependency: chain }) } : {};
  const step = { kind: "update-constraints" as const, ...constraintsOf(work, lack), droppedNodes: [], ...ofLeader };
  const whom = part.jobId === job.jobId ? "the successor" : `component ${part.jobId}`;
  const away = missing.length === 0 ? [] : [`keep ${whom} away from ${missing.join(", ")}`];
  const back =
    over.length === 0 ? [] : [`${whom} may have ${over.join(", ")} again: nothing speaks against it any more`];
  const why = [...away, ...back, ...(chain === undefined ? [] : ["it is one of a chain again (singleton)"])].join("; ");
  return { kind: "act", step, job: part, why };
}

/** A requeue loses `singleton`; what else the job waited for was over when it started. */
function lostChain(work: Work, job: SlurmJob, view: Seen<SlurmView>, known: Known): string | undefined {
  if (view.kind !== "seen" || isSingleton(job.dependency) || !isOfChain(work, job, view.value, known)) return undefined;
  return "singleton";
}

/** The successor has started: it is left to run, whatever it carries. */
function started(job: SlurmJob, missing: readonly string[], known: Known): Plan {
  if (missing.length === 0)
    return satisfied(
      hasEnded(job) ? "the successor has run with the constraints" : "the successor runs with the constraints",
    );
  if (known.steps.some((s) => s.action === "watchdog-release"))
    return abandon("RELEASED_BY_WATCHDOG", "the watchdog released the job while recovery was away");
  return abandon("STARTED_UNCONSTRAINED", `the successor started without the exclusion of ${missing.join(", ")}`);
}

function cancelled(work: Work, known: Known): Plan {
  const isOurs = work.forbidden === true && tried(known.steps, "cancel", work.generation);
  return isOurs
    ? abandon("WITHDRAWN", "the restart was forbidden: its successor was cancelled before it started")
    : abandon("JOB_ENDED", "the successor was cancelled");
}

/** Withdrawn or expired: our hold goes, without new constraints. What was forbidden, and only our requeue made, does not run. */
function letGo(work: Work, job: SlurmJob, owner: "ours" | "none", sight: Sight, known: Known): Plan {
  const reason = work.withdrawn ? "WITHDRAWN" : "ADVICE_EXPIRED";
  const isOurs = owner === "ours" || isOurRequeue(job, known.steps, sight);
  if (work.withdrawn && work.forbidden === true && isOurs) return undo(job, owner, known);
  if (owner === "none") return abandon(reason, "nothing of ours is held");
  return releaseUnlessAdmin(job, known, `the Advice is over (${reason})`);
}

/** It has never started (invariant 2). What an administrator holds is his to decide about. */
function undo(job: SlurmJob, owner: "ours" | "none", known: Known): Plan {
  const stop = owner === "ours" ? overOurs(job, known) : undefined;
  return stop ?? { kind: "act", step: { kind: "cancel" }, job, why: "the restart was forbidden, and has not started" };
}

/** Nobody would ever let it go: it runs without the exclusion, and the record says so. */
function withoutExclusion(
  work: Work,
  job: SlurmJob,
  owner: "ours" | "none",
  missing: readonly string[],
  known: Known,
  now: Instant,
): Plan {
  const why = `Slurm does not take the exclusion of ${missing.join(", ")}`;
  return owner === "none" ? abandon("ACTION_REFUSED", why) : release(work, job, known, now, `${why}: our hold goes`);
}

function release(work: Work, job: SlurmJob, known: Known, now: Instant, why: string): Plan {
  const heldSince = known.steps.findLast((s) => s.action === "requeue-hold")?.endedAt ?? job.submitAt;
  if (!work.logEnded && now < Math.max(heldSince, job.submitAt) + limits.logEndWaitMs)
    return wait("the watcher is reading the log of the old attempt to its end");
  const late = lateUntil(job, known);
  if (now < late) return wait("a requeue whose outcome is unknown may still arrive; the hold keeps it from harm");
  return releaseUnlessAdmin(job, known, why);
}

/**
 * A second `requeuehold` is refused while the job is pending, and kills it once it runs. Slurm's own delay after a requeue is longer
 * than a late command can be late; where the job itself does not show such a one, the hold has to last as long. (A site may have
 * shortened it, `requeue_delay`; and the delay in force is the one that slurmctld was started with, whatever its configuration says now.)
 */
function lateUntil({ startAt, submitAt }: SlurmJob, { steps, requeueDelayMs }: Known): Instant {
  const latestMs = limits.commandLimitMs + limits.settleMs;
  if (startAt !== undefined && Math.min(startAt - submitAt, requeueDelayMs) >= latestMs) return 0;
  const open = steps.filter((s) => s.action === "requeue-hold" && (s.endedAt === undefined || s.outcome === "unknown"));
  return Math.max(0, ...open.map((s) => (s.endedAt ?? s.begunAt + limits.commandLimitMs) + latestMs));
}

function releaseUnlessAdmin(job: SlurmJob, known: Known, why: string): Plan {
  return overOurs(job, known) ?? { kind: "act", step: { kind: "release" }, job, why };
}

/**
 * An administrator's hold laid over ours shows only in JSON. Unreadable JSON is not a no: look again. Undefined: the hold is ours
 * alone.
 */
function overOurs({ jobId }: SlurmJob, { holdReason }: Known): Plan | undefined {
  if (holdReason === undefined) return { kind: "ask-hold", jobId };
  if (holdReason === "unavailable") return wait("why the job is held could not be read");
  return holdReason === "admin" ? abandon("HELD_BY_OTHERS", "an administrator laid a hold over ours") : undefined;
}

/** Not held. Skip Slurm's own delay when that is safe; add the back-off where there is one; and say that our hold is gone. */
function startSoon(work: Work, job: SlurmJob, known: Known, now: Instant): Plan {
  const content = satisfied("the successor is released with the required constraints");
  const requeued = known.steps.findLastIndex((s) => s.action === "requeue-hold");
  const released = known.steps.findLastIndex((s) => s.action === "release" && s.outcome === "done");
  if (released <= requeued) return content; // Not released by us, or requeued again since (a rollback).
  const isMarked = known.steps
    .slice(released + 1)
    .some((s) => s.action === "mark" || (s.action === "set-start" && !isLeader(job)));
  const marker =
    known.marker.writable && known.marker.value?.step !== "released" && !isMarked
      ? markerOf(work, "released", now)
      : undefined;
  const start = startIn(work, job, known, now);
  if (start !== undefined) {
    const step = {
      kind: "set-start" as const,
      inSeconds: start.inSeconds,
      // A start time is all components'; what is written is the leader's.
      ...(marker === undefined || isLeader(job) ? {} : { marker }),
    };
    return { kind: "act", step, job, why: start.why };
  }
  if (marker === undefined) return content;
  return { kind: "act", step: { kind: "mark", marker }, job, why: "our hold is gone; a later one is not ours" };
}

/** When the successor should start, where Slurm's own time is not it. At most once a generation. */
function startIn(
  work: Work,
  job: SlurmJob,
  known: Known,
  now: Instant,
): { readonly inSeconds: number; readonly why: string } | undefined {
  if (job.startAt === undefined || tried(known.steps, "set-start", work.generation)) return undefined;
  // An owner or an operator who set another start time meant it.
  if (Math.abs(job.startAt - (job.submitAt + known.requeueDelayMs)) > sameStartMs) return undefined;
  const isDoubtful = known.steps.some((s) => s.outcome === "unknown" || s.endedAt === undefined);
  const sinceRequeueMs = isDoubtful ? 0 : msSinceRequeue(job, known, now);
  if (work.startDelayMs > known.requeueDelayMs) {
    return { inSeconds: wholeSeconds(work.startDelayMs - sinceRequeueMs), why: "back-off before the next start" };
  }
  if (!known.skipRequeueDelay || isDoubtful) return undefined;
  const inMs = Math.max(limits.skipDelayMs, work.startDelayMs - sinceRequeueMs);
  // Slurm's two times by Slurm's clock, and ours by ours: the hosts' clocks may differ.
  return job.startAt - job.submitAt <= sinceRequeueMs + inMs
    ? undefined
    : { inSeconds: wholeSeconds(inMs), why: "skip Slurm's delay after a requeue" };
}

/** By the clock of the journal, where the requeue is ours and answered; else by Slurm's submit time. */
function msSinceRequeue({ submitAt }: SlurmJob, { steps }: Known, now: Instant): number {
  const last = lastRequeue(steps);
  return Math.max(0, now - (last?.outcome === "done" && last.endedAt !== undefined ? last.endedAt : submitAt));
}

/** Two at least: slurmd of 22.05 compares whole seconds. */
const wholeSeconds = (ms: number) => Math.max(2, Math.ceil(ms / 1000));

/** AdminComment may be refused (no right to it); it is tried once, and the journal alone decides then. */
const markedHeld = (work: Work, known: Known) => {
  const requeue = known.steps.findLastIndex((s) => s.action === "requeue-hold");
  return known.steps
    .slice(requeue + 1)
    .some((s) => (s.action === "mark" || s.action === "update-constraints") && s.generation === work.generation);
};
