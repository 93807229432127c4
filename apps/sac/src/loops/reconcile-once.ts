/**
 * reconcileOnce: one pass of the controller over the open Advice. All of its thinking is in plan().
 *
 * In the loop   view → plan → gate → **begin → apply → end** → the next view
 * Writes        the journal; and, where the gate allows it, Slurm; status reports to the server.
 * Keeps         a step is durable before its effect. A crash leaves it begun; plan() waits and looks again. Look, journal,
 *               command and journal happen under the one lock that the watchdog takes too.
 * Fails         an error ends the pass; the loop logs it once and tries again after its interval.
 * Bound         one step an Advice a pass; a question why a job is held is asked once a pass.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Seen, SlurmJob } from "@reprise/core/nouns.ts";
import { awaitedJobs } from "@reprise/core/plan/dependents.ts";
import { lastRequeue } from "@reprise/core/plan/ownership.ts";
import { nextOfChain } from "@reprise/core/plan/plan-chain.ts";
import { plan, verdictOf } from "@reprise/core/plan/plan.ts";
import { type Act, type Known, markerOf, type Plan } from "@reprise/core/plan/step.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import { atLeastMs, atMostMs, momentOf } from "@reprise/runtime/clock.ts";
import { beginsRecovery } from "../gate.ts";
import { noteLanding } from "../landing.ts";
import type { StepWithKey } from "../journal.ts";
import { createOrdersCheck, inForce } from "../orders.ts";
import type { Parts, State } from "../state.ts";
import { mergeMarker, readMarker } from "../slurm/admin-comment.ts";
import type { Pass } from "../slurm/slurm.ts";
import { passGate } from "./pass-gate.ts";
import { reportStatus } from "./report-status.ts";
import { takeStep } from "./take-step.ts";

export interface ReconcileResult {
  /** Something is under way: look again soon. */
  readonly isBusy: boolean;
  /** A step was taken: look again at once. */
  readonly acted: boolean;
}

export async function reconcileOnce(
  parts: Parts,
  state: State,
  items: readonly Work[],
  view: Seen<Pass>,
): Promise<ReconcileResult> {
  const wanted: Work[] = [];
  let isBusy = false;
  for (const work of awaitedFirst(items, view)) {
    const next = await planOne(parts, state, work, view);
    if (next.kind === "act") {
      if (isStale(parts, state, work, next)) isBusy = true;
      else if (await passGate(parts, state, work, next, view)) wanted.push(work);
    } else if (next.kind === "finish") {
      if (!isKnown(parts, next)) continue;
      await finish(parts, state, work, next);
    } else {
      isBusy = true;
    }
  }
  const acted = wanted.length > 0 && (await actUnderLock(parts, state, wanted));
  return { isBusy: isBusy || wanted.length > 0, acted };
}

/** Slurm gives up within seconds on what waits for a failed job: whom others wait for comes first. */
function awaitedFirst(items: readonly Work[], view: Seen<Pass>): readonly Work[] {
  if (view.kind !== "seen" || items.length < 2) return items;
  const awaited = awaitedJobs(view.value.jobs.values());
  const isFirst = ({ jobId }: Work) => awaited.has(jobId) || awaited.has(jobId.split("_")[0] ?? "");
  return awaited.size === 0 ? items : [...items.filter(isFirst), ...items.filter((work) => !isFirst(work))];
}

/** The lock, a fresh look, the same plan again, and only then the step. */
async function actUnderLock(parts: Parts, state: State, wanted: readonly Work[]): Promise<boolean> {
  const lock = await parts.lock();
  if (lock === undefined) {
    parts.log.warn({}, "the lock is taken by the watchdog; this pass takes no step");
    return false;
  }
  try {
    parts.journal.refresh();
    state.holdReasons = undefined;
    state.lookAsked = momentOf(parts.clock);
    const view = await parts.slurm.look();
    const areOrdersFresh = createOrdersCheck(parts, state);
    let acted = false;
    if (view.kind === "seen") state.slurm = view.value.settings;
    for (const work of wanted) {
      const next = await planOne(parts, state, work, view);
      if (next.kind !== "act" || isStale(parts, state, work, next, "fresh")) continue;
      if (beginsRecovery(next.step, work) && !(await areOrdersFresh())) continue;
      if (!(await passGate(parts, state, work, next, view))) continue;
      await takeStep(parts, state, work, next);
      acted = true;
    }
    return acted;
  } finally {
    lock.release();
  }
}

/**
 * Slurm was slow, or SAC was stopped, or the server is thinking: the Advice may be withdrawn by now, and the job another attempt. The
 * next pass knows.
 */
function isStale(
  { clock }: Parts,
  { workAsked, lookAsked }: State,
  work: Work,
  { step }: Act,
  look: "any" | "fresh" = "any",
): boolean {
  if (!beginsRecovery(step, work)) return false;
  const now = momentOf(clock);
  const isOldLook = look === "fresh" && atMostMs(lookAsked, now) > limits.lookAgeMaxMs;
  return work.isUndecided === true || isOldLook || atMostMs(workAsked, now) > limits.workAgeMaxMs;
}

async function planOne(parts: Parts, state: State, work: Work, view: Seen<Pass>): Promise<Plan> {
  const now = parts.clock.now();
  const unreadable = view.kind === "seen" ? view.value.unreadable.get(work.jobId) : undefined;
  if (unreadable !== undefined) return { kind: "wait", why: `Slurm's row of the job could not be read: ${unreadable}` };
  if (view.kind === "seen") {
    const aged = (steps: readonly StepWithKey[]) => asSeen(state, steps, view);
    const sight = { job: view.value.jobs.get(work.jobId), viewAt: view.at, blindness: state.blindness, aged };
    noteLanding(parts.journal, work, sight, now);
  }
  const known = knownOf(parts, state, work, view);
  let next = plan(work, view, known, now);
  if (next.kind === "ask-hold") {
    const holdReason = await holdReasonOf(parts, state, next.jobId);
    next = plan(work, view, { ...known, holdReason }, now);
  }
  const key = `${work.heimdallJobId} ${work.generation}`;
  const verdict = verdictOf(next);
  if (verdict === undefined) state.settling.delete(key);
  else if (state.settling.get(key)?.verdict !== verdict) state.settling.set(key, { verdict, since: state.lookAsked });
  return next;
}

function knownOf(parts: Parts, state: State, work: Work, view: Seen<Pass>): Known {
  const steps = parts.journal.stepsOf(work.heimdallJobId);
  const aged = asSeen(state, steps, view);
  const site = { ...parts.config, partitions: inForce(parts, state).partitions };
  const chain = { steps, singletons: state.singletons, site };
  const adminComment = (view.kind === "seen" ? markedJob(work, view.value, chain) : undefined)?.adminComment ?? "";
  const isWritable = mergeMarker(adminComment, markerOf(work, "held", view.at)) !== undefined;
  const settling = state.settling.get(`${work.heimdallJobId} ${work.generation}`);
  return {
    ...chain,
    steps: aged,
    blindMs: state.blindness.msSince(lastRequeue(aged)?.begunAt ?? view.at),
    marker: { value: readMarker(adminComment), writable: isWritable },
    ...(settling === undefined
      ? {}
      : { settling: { ...settling, since: view.at - atLeastMs(settling.since, state.lookAsked) } }),
    skipRequeueDelay: parts.config.skipRequeueDelay,
    requeueDelayMs: state.slurm?.requeueDelayMs ?? 0,
  };
}

const asSeen = ({ stepsAsSeen, lookAsked }: State, steps: readonly StepWithKey[], { at }: Seen<Pass>) =>
  stepsAsSeen(steps, { at, after: lookAsked.after });

/** The job that what is done is written into. */
function markedJob(work: Work, pass: Pass, chain: Parameters<typeof nextOfChain>[2]): SlurmJob | undefined {
  const job = pass.jobs.get(work.jobId);
  return job === undefined || work.isOfChain !== true ? job : nextOfChain(job, pass, chain);
}

/** 22.05 dumps all jobs, whichever one asks for: what was asked once is not asked again in this pass. */
async function holdReasonOf(parts: Parts, state: State, jobId: string): Promise<NonNullable<Known["holdReason"]>> {
  state.holdReasons ??= new Map();
  const before = state.holdReasons.get(jobId);
  if (before !== undefined) return before;
  const seen = await parts.slurm.holdReasons([jobId]);
  const reason = seen.kind === "seen" ? (seen.value.get(jobId) ?? "unavailable") : "unavailable";
  state.holdReasons.set(jobId, reason);
  return reason;
}

/** An observer keeps no journal: a hold that it does not know may be that of the SAC that acts. */
const isKnown = ({ config }: Parts, { reason }: Finish) => config.mode === "act" || reason !== "HELD_BY_OTHERS";

type Finish = Plan & { kind: "finish" };

async function finish(parts: Parts, state: State, work: Work, next: Finish): Promise<void> {
  const { disposition, reason, why: message } = next;
  const key = `${work.heimdallJobId} ${work.generation}`;
  if (!state.finished.has(key)) {
    parts.journal.finish(work, parts.clock.now());
    state.finished.add(key);
    parts.log.info({ job: work.jobId, attempt: work.attemptIndex, disposition, reason }, message);
  }
  await reportStatus(parts, work, { disposition, reason, message });
}
