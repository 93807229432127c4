/**
 * plan: the one next thing to do for one Advice, given what Slurm shows now.
 *
 * In the loop   Advice + SlurmView → **plan** → Step → apply → the next view
 * Takes         the work, one view, the journal's steps for this source attempt, and now. Derived afresh each pass.
 * Gives         `act` with one step, `finish` with the status to report, `satisfied` or `settling` (to be seen a second time),
 *               or `wait`. When in doubt, `wait`.
 * Pure, total   no clock, no I/O, no throw.
 * Keeps         invariants 2, 4, 6, 8, 10: nothing is done to another attempt than the named one and its successor that has
 *               never started; nothing from a view older than the last step, or younger than `settleMs` after one whose
 *               outcome is unknown; nothing is missed in a view older than the Advice; nothing while COMPLETING; a successor is
 *               never released before its exclusions are seen.
 * Source        design §7; Slurm 22.05 and 25.11 as measured.
 */
import { componentsOf, isLed } from "../fact/heterogeneous.ts";
import { hasEnded, isCompleting, isPending, isRestartable, readSlurmState } from "../fact/slurm-state.ts";
import { limits } from "../limits.ts";
import type { Instant, ReconciliationReason, Seen, SlurmJob, SlurmView } from "../nouns.ts";
import { overtakenBy } from "./chain.ts";
import { planDependents } from "./mending.ts";
import { planChain } from "./plan-chain.ts";
import { planLaunch } from "./plan-launch.ts";
import { planRelease } from "./release.ts";
import {
  abandon,
  type Known,
  markerOf,
  mayHaveActed,
  missed,
  type Plan,
  type SeenView,
  type Step,
  satisfied,
  showsFrom,
  tried,
  wait,
} from "./step.ts";
import { planSuccessor } from "./successor.ts";
import { hasUnreadDependents, unreadFor } from "./unread.ts";
import type { JournalStep, Work } from "./work.ts";

export function plan(work: Work, view: Seen<SlurmView>, known: Known, now: Instant): Plan {
  if (view.kind !== "seen") return wait("Slurm cannot be read");
  const last = known.steps.at(-1);
  if (last !== undefined && view.at < showsFrom(last)) return wait("the outcome of the last step is not visible yet");
  return confirmed(work, view, known, planView(work, view, known, now));
}

function planView(work: Work, view: SeenView, known: Known, now: Instant): Plan {
  const unread = view.value.unreadable.get(work.jobId);
  if (unread !== undefined) return wait(`Slurm's row of the job could not be read: ${unread.why}`);
  const job = view.value.jobs.get(work.jobId);
  if (job === undefined) return missed(known, "TARGET_GONE", "Slurm no longer knows the job");
  const ahead = job.restartCount - work.attemptIndex; // 0: the attempt it is about. 1: its successor.
  const apart = `Slurm shows attempt ${job.restartCount}, the Advice is about ${work.attemptIndex}`;
  if (ahead < 0) return missed(known, "TARGET_GONE", `${apart}: the controller has forgotten it`);
  if (ahead > 1) return missed(known, "SUPERSEDED", apart);
  if (ahead === 0 && isReissued(work, job))
    return missed(known, "TARGET_GONE", "this job ID now belongs to another job");
  if (ahead === 0 && !isSource(work, job))
    return wait(
      "the source's submit time is not known yet, or changed (a controller rollback); the record is being corrected",
    );

  const others = unreadFor(work, job, view, known, now);
  if (others !== undefined) return wait(others);

  const { phase } = readSlurmState(job.state);
  if (phase === "unrecognised" || phase === "completing") {
    const over = ahead === 0 && !known.steps.some(mayHaveChanged) ? overBefore(work, now) : undefined;
    if (over !== undefined) return over; // It may stay so for days.
    return wait(phase === "completing" ? "the job is completing" : `Slurm shows an unknown state: ${job.state}`);
  }

  switch (work.desired) {
    case "RESTARTED":
      if (work.isOfChain === true) return planChain(work, job, ahead, view, known, now);
      return ahead === 1 ? planSuccessor(work, job, view, known, now) : planSource(work, job, view, known, now);
    case "TERMINATED":
      return planTermination(work, job, ahead, now);
    case "RELEASED":
      return work.isOfLaunch === true
        ? planLaunch(work, job, ahead, view, known, now)
        : planRelease(work, job, ahead, view.at, known, now);
  }
}

/** Attempt k itself: it is requeued held, or there is a reason not to. */
function planSource(work: Work, job: SlurmJob, view: SeenView, known: Known, now: Instant): Plan {
  const { phase } = readSlurmState(job.state);
  const isAlive = phase === "running" || phase === "suspended";
  const startsAfterSuccess = work.restartsCompleted && job.state === "COMPLETED";
  if (hasEnded(job) && !isRestartable(job) && !startsAfterSuccess)
    return abandon("JOB_ENDED", `the job ended as ${job.state}`);
  const over = overBefore(work, now);
  if (over !== undefined) return over;
  if (phase === "pending") return wait("Slurm shows the source attempt as pending");
  if (isLed(job))
    return abandon("ACTION_REFUSED", `a component of the heterogeneous job ${job.hetJobId ?? ""}, which leads it`);
  const leaving = componentsOf(job, view.value).find(isCompleting);
  if (leaving !== undefined) return wait(`component ${leaving.jobId} is completing`);
  if (!job.batch) return abandon("ACTION_REFUSED", "not a batch job: Slurm cannot requeue it");
  if (!job.requeueable) return abandon("ACTION_REFUSED", "submitted with --no-requeue: Slurm will not requeue it");
  const refusal = refusedForGood(known.steps, work.generation);
  if (refusal !== undefined) return abandon("ACTION_REFUSED", refusal);

  const held = heldSource(job, known);
  if (held !== undefined) return held;
  const again = repeatsTooSoon(known.steps, view.at);
  if (again !== undefined) return again;
  const sibling = overtakenBy(work, job, view.value, known);
  if (sibling !== undefined) return abandon("SUPERSEDED", overtakenWords(sibling));

  const marker = markerOf(work, "intent", now);
  const isMarked = known.marker.value?.id === work.heimdallJobId;
  if (isAlive && known.marker.writable && !isMarked && !tried(known.steps, "mark", work.generation)) {
    return {
      kind: "act",
      step: { kind: "mark", marker },
      job,
      why: "the intent is written into the job before a running job is requeued",
    };
  }
  return { kind: "act", step: { kind: "requeue-hold", isRunning: isAlive }, job, why: "the source is requeued, held" };
}

function overBefore(work: Work, now: Instant): Plan | undefined {
  if (work.withdrawn) return abandon("WITHDRAWN", "the Advice was withdrawn before anything was done");
  return now < work.expiresAt ? undefined : abandon("ADVICE_EXPIRED", "the Advice expired before anything was done");
}

function overtakenWords(sibling: SlurmJob): string {
  const does = isPending(sibling) ? "has had its turn, and may start at any moment" : "runs in its stead";
  return `overtaken-by-singleton: job ${sibling.jobId}, also named "${sibling.name}", ${does} (--dependency=singleton)`;
}

/** A hold on the source is not ours. `scontrol suspend` sets the priority to 0 as well, and only the reason in JSON tells the two apart. */
function heldSource(job: SlurmJob, { holdReason }: Known): Plan | undefined {
  if (job.priority !== 0) return undefined;
  const others = abandon("HELD_BY_OTHERS", "the source carries a hold that is not ours");
  if (readSlurmState(job.state).phase !== "suspended") return others;
  if (holdReason === undefined) return { kind: "ask-hold", jobId: job.jobId };
  if (holdReason === "unavailable") return wait("whether the suspended job is held could not be read");
  return holdReason === "other" || holdReason === "none" ? undefined : others;
}

function planTermination(work: Work, job: SlurmJob, ahead: number, now: Instant): Plan {
  const { phase } = readSlurmState(job.state);
  if (hasEnded(job))
    return ahead === 0 || job.state === "CANCELLED"
      ? satisfied("the attempt is over and no successor is queued")
      : abandon("SUPERSEDED", "the successor has run");
  if (work.withdrawn) return abandon("WITHDRAWN", "the Advice was withdrawn");
  if (now >= work.expiresAt) return abandon("ADVICE_EXPIRED", "the Advice expired");
  if (work.isOfGates === true && (ahead !== 0 || phase !== "pending" || job.priority !== 0))
    return abandon("SUPERSEDED", "somebody let the job go, whatever its gates say");
  if (ahead === 1 && phase !== "pending") return abandon("SUPERSEDED", "the successor has started"); // Invariant 2.
  return { kind: "act", step: { kind: "cancel" }, job, why: "the job is ended" };
}

/** What a plan says of the end, so that a second view can be asked whether it says the same. */
export function verdictOf(next: Plan): "satisfied" | ReconciliationReason | undefined {
  if (next.kind === "satisfied") return "satisfied";
  if (next.kind === "settling") return next.reason;
  // What is done to others then, or noted, changes nothing of it.
  if (next.kind === "act" && (next.step.kind === "repair-dependency" || isNoteOfRelease(next.step))) return "satisfied";
  return next.kind === "finish" && next.disposition === "ABANDONED" ? next.reason : undefined;
}

const isNoteOfRelease = (step: Step) => step.kind === "mark" && step.marker.step === "released";

/** An end counts when a second view, `settleMs` after the first, says the same: Slurm saves its state late. */
function confirmed(work: Work, view: SeenView, known: Known, next: Plan): Plan {
  const verdict = verdictOf(next);
  if (verdict === undefined) return next;
  const isSettled = known.settling?.verdict === verdict && view.at >= known.settling.since + limits.settleMs;
  const canConverge = isSettled && !awaitsUnread(work, view.value);
  if (next.kind === "satisfied") return canConverge ? converged(work, view.value, known, next.why) : next;
  if (next.kind !== "finish" || isSettled || !known.steps.some(mayHaveChanged)) return next;
  return { kind: "settling", reason: next.reason, why: next.why };
}

/** A step that changed the job, or may have. */
const mayHaveChanged = (s: JournalStep) => s.action !== "mark" && mayHaveActed(s);

/** Who waits for the job and could not be read may have been lost with its failure: he is looked for again. */
function awaitsUnread(work: Work, view: SlurmView): boolean {
  const parent = restartedIn(work, view);
  return parent !== undefined && hasUnreadDependents(parent, view);
}

/** The job whose dependents are looked after. */
const restartedIn = ({ desired, jobId }: Work, { jobs }: SlurmView): SlurmJob | undefined =>
  desired === "RESTARTED" ? jobs.get(jobId) : undefined;

function converged(work: Work, view: SlurmView, known: Known, is: string): Plan {
  const parent = restartedIn(work, view);
  const { step, words } = parent === undefined ? { words: "" } : planDependents(work, parent, view, known);
  if (step !== undefined) return step;
  const why = `${is}${words}`;
  const acted = known.steps.some((s) => s.action !== "mark" && s.outcome === "done" && s.generation <= work.generation);
  return {
    kind: "finish",
    disposition: "CONVERGED",
    reason: acted ? "DESIRED_STATE_OBSERVED" : "ALREADY_SATISFIED",
    why,
  };
}

/** A requeue that returned 0 and raised no count: the job ended meanwhile, or Slurm lost it. Look before repeating. */
function repeatsTooSoon(steps: readonly JournalStep[], viewAt: Instant): Plan | undefined {
  const requeues = steps.filter((s) => s.action === "requeue-hold" && s.outcome === "done");
  if (requeues.length >= requeuesMax)
    return abandon("ACTION_REFUSED", `${requeues.length} requeues were accepted and none showed`);
  const last = requeues.at(-1);
  const isYoung = last !== undefined && viewAt < (last.endedAt ?? last.begunAt) + limits.settleMs;
  return isYoung ? wait("Slurm accepted the requeue; its effect is looked for") : undefined;
}

/** Accepted requeues of one attempt without a raised count. A controller that is killed may lose one or two. */
const requeuesMax = 5;

/** A requeue that Slurm refused in words that will not change by asking again. */
function refusedForGood(steps: readonly JournalStep[], generation: number): string | undefined {
  const last = steps.findLast((s) => s.action === "requeue-hold" && s.generation === generation);
  return last?.outcome === "refused" ? `Slurm refused the requeue: ${last.detail ?? "no reason given"}` : undefined;
}

/** The very attempt that the Advice is about. Slurm gives whole seconds. */
function isSource(work: Work, job: SlurmJob): boolean {
  if (work.sourceSluid !== undefined && job.sluid !== undefined) return work.sourceSluid === job.sluid;
  return Math.abs(job.submitAt - work.sourceSubmitAt) < 1_000;
}

/**
 * Slurm reissues IDs after a controller crash and when they wrap: count 0 with a later submit time is another job. What was first seen in a state
 * that nobody knows has no submit time yet, and is nobody else's for that.
 */
function isReissued(work: Work, job: SlurmJob): boolean {
  const { sourceSubmitAt } = work;
  return job.restartCount === 0 && sourceSubmitAt > 0 && !isSource(work, job) && job.submitAt > sourceSubmitAt;
}
