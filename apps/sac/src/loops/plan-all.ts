/**
 * planAll: what comes next for each open Advice, from one view.
 *
 * In the loop   view → **plan** → gate → begin → apply → end → the next view
 * Gives         one plan an Advice, in the same order.
 * Writes        the journal, where the view shows what became of a requeue; and what every look has said since.
 * Bound         why jobs are held is asked once for all of them: 22.05 dumps all jobs, whichever one asks for.
 */
import type { Instant, Seen, SlurmJob } from "@reprise/core/nouns.ts";
import { lastRequeue } from "@reprise/core/plan/ownership.ts";
import { nextOfChain } from "@reprise/core/plan/plan-chain.ts";
import { plan, verdictOf } from "@reprise/core/plan/plan.ts";
import { type Known, markerOf, type Plan } from "@reprise/core/plan/step.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import { atLeastMs } from "@reprise/runtime/clock.ts";
import { noteLanding } from "../landing.ts";
import type { StepWithKey } from "../journal.ts";
import { inForce } from "../orders.ts";
import { adviceKey, type Parts, type State } from "../state.ts";
import { mergeMarker, readMarker } from "../slurm/admin-comment.ts";
import type { Pass } from "../slurm/slurm.ts";

export interface Planned {
  readonly work: Work;
  readonly next: Plan;
}

export async function planAll(
  parts: Parts,
  state: State,
  items: readonly Work[],
  view: Seen<Pass>,
): Promise<readonly Planned[]> {
  const now = parts.clock.now();
  const drafts = items.map((work) => draftOf(parts, state, work, view, now));
  await askWhyHeld(
    parts,
    state,
    drafts.flatMap(({ next }) => (next.kind === "ask-hold" ? [next.jobId] : [])),
  );
  return drafts.map((draft) => {
    const { work, known } = draft;
    if (known === undefined) return draft;
    const next =
      draft.next.kind === "ask-hold" ? answered(state, draft.next.jobId, work, view, known, now) : draft.next;
    remember(state, work, next);
    return { work, next };
  });
}

const answered = (state: State, jobId: string, work: Work, view: Seen<Pass>, known: Known, now: Instant): Plan =>
  plan(work, view, { ...known, holdReason: state.holdReasons.get(jobId) ?? "unavailable" }, now);

interface Draft extends Planned {
  /** Absent: the row could not be read, and what was said of it before still stands. */
  readonly known?: Known;
}

function draftOf(parts: Parts, state: State, work: Work, view: Seen<Pass>, now: Instant): Draft {
  if (view.kind === "seen") {
    const aged = (steps: readonly StepWithKey[]) => asSeen(state, steps, view);
    const sight = { job: view.value.jobs.get(work.jobId), viewAt: view.at, blindness: state.blindness, aged };
    noteLanding(parts.journal, work, sight, now);
  }
  const known = knownOf(parts, state, work, view);
  const next = plan(work, view, known, now);
  const isUnread = view.kind === "seen" && view.value.unreadable.has(work.jobId);
  return isUnread ? { work, next } : { work, known, next };
}

/** What a plan has said since when. A row that could not be read says nothing. */
function remember(state: State, work: Work, next: Plan): void {
  const key = adviceKey(work);
  const verdict = verdictOf(next);
  if (verdict === undefined) state.settling.delete(key);
  else if (state.settling.get(key)?.verdict !== verdict) state.settling.set(key, { verdict, since: state.lookAsked });
}

function knownOf(parts: Parts, state: State, work: Work, view: Seen<Pass>): Known {
  const steps = parts.journal.stepsOf(work.heimdallJobId);
  const aged = asSeen(state, steps, view);
  const site = { ...parts.config, partitions: inForce(parts, state).partitions };
  const chain = { steps, singletons: state.singletons, site };
  const adminComment = (view.kind === "seen" ? markedJob(work, view.value, chain) : undefined)?.adminComment ?? "";
  const isWritable = mergeMarker(adminComment, markerOf(work, "held", view.at)) !== undefined;
  const settling = state.settling.get(adviceKey(work));
  return {
    ...chain,
    steps: aged,
    isLookOlder: state.heardSinceLook.has(adviceKey(work)),
    written: parts.journal.written(),
    blindMs: state.blindness.msSince(lastRequeue(aged)?.begunAt ?? view.at),
    marker: { value: readMarker(adminComment), writable: isWritable },
    ...(settling === undefined
      ? {}
      : { settling: { ...settling, since: view.at - atLeastMs(settling.since, state.lookAsked) } }),
    skipRequeueDelay: parts.config.skipRequeueDelay,
    requeueDelayMs: state.slurm?.requeueDelayMs ?? 0,
    ...(state.slurm?.bootedAt === undefined ? {} : { bootedAt: state.slurm.bootedAt }),
  };
}

const asSeen = ({ stepsAsSeen, lookAsked }: State, steps: readonly StepWithKey[], { at }: Seen<Pass>) =>
  stepsAsSeen(steps, { at, after: lookAsked.after });

/** The job that what is done is written into. */
function markedJob(work: Work, pass: Pass, chain: Parameters<typeof nextOfChain>[2]): SlurmJob | undefined {
  const job = pass.jobs.get(work.jobId);
  return job === undefined || work.isOfChain !== true ? job : nextOfChain(job, pass, chain);
}

async function askWhyHeld(parts: Parts, state: State, jobIds: readonly string[]): Promise<void> {
  const asked = jobIds.filter((jobId) => !state.holdReasons.has(jobId));
  if (asked.length === 0) return;
  const seen = await parts.slurm.holdReasons(asked);
  for (const jobId of asked)
    state.holdReasons.set(jobId, seen.kind === "seen" ? (seen.value.get(jobId) ?? "unavailable") : "unavailable");
}
