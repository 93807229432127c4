/**
 * ownership: whose hold is it, and what became of our last requeue?
 *
 * In the loop   part of plan, and of the watchdog
 * Pure, total
 * Keeps         invariant 10: only a hold that our journal or our marker claims is ours, and after a release of ours only the very hold that
 *               came with the requeue. In doubt it is theirs.
 * Source        docs/decisions/0004, 0014, 0046.
 */
import { isHeldBySlurm, isHeldSinceRequeue, readSlurmState } from "../fact/slurm-state.ts";
import { limits } from "../limits.ts";
import type { Instant, SlurmJob } from "../nouns.ts";
import { mayHaveActed, showsFrom } from "./step.ts";
import type { JournalStep, Marker, Work } from "./work.ts";

/** Two hosts' clocks; and Slurm keeps whole seconds, and may date a submit time one second into the future. */
const clockMs = 10_000;

export type Owner =
  /** Not held at all. */
  "none" | "ours" | "theirs";

type Source = Pick<Work, "heimdallJobId" | "attemptIndex">;

/** @param job Attempt k+1 of the job as it is now; `marker` is what its AdminComment holds of us. */
export function holdOwner(
  source: Source,
  job: SlurmJob,
  steps: readonly JournalStep[],
  marker: Marker | undefined,
  sight: Sight,
): Owner {
  if (isHeldBySlurm(job)) return "theirs";
  if (job.priority !== 0) return "none";
  if (job.restartCount !== source.attemptIndex + 1) return "theirs";
  const marked = marker?.id === source.heimdallJobId ? marker.step : undefined;
  // The note that it is gone may stand in a record of which slurmctld has forgotten that; and a release may not be noted yet.
  if ((marked === "released" || wasReleased(steps)) && !isHeldSinceRequeue(job)) return "theirs";
  // An intent alone proves nothing: the owner may have requeued the job himself before we did.
  return marked === "held" || claims(lastRequeue(steps), job, sight) ? "ours" : "theirs";
}

/** By SAC or the watchdog, since it was requeued last; or it may have been. */
function wasReleased(steps: readonly JournalStep[]): boolean {
  const requeued = steps.findLastIndex(({ action }) => action === "requeue-hold");
  return steps.slice(requeued + 1).some((s) => isRelease(s) && mayHaveActed(s));
}

export const isRelease = ({ action }: JournalStep): boolean => action === "release" || action === "watchdog-release";

/** How a job was seen, by the clock of the journal. */
export interface Sight {
  /** When the view was begun. */
  readonly viewAt: Instant;
  /** For how long Slurm has not answered since the last requeue was begun. */
  readonly blindMs?: number | undefined;
}

/** What a view shows of our last requeue that the journal does not know yet. */
export type Landing =
  | { readonly kind: "landed"; readonly submitAt: Instant }
  /** The source leaves its nodes now, whatever it did when the requeue was begun: slurmctld may have crashed back to before its end. */
  | { readonly kind: "leaving" }
  | { readonly kind: "undone" };

/** Undefined: the view shows nothing new. */
export function landingOf(
  source: Source,
  job: SlurmJob,
  steps: readonly JournalStep[],
  sight: Sight,
): Landing | undefined {
  const { viewAt } = sight;
  const last = lastRequeue(steps);
  if (last === undefined || viewAt < showsFrom(last)) return undefined;
  if (job.restartCount === source.attemptIndex) return viewAt < undoneFrom(last) ? undefined : { kind: "undone" };
  if (job.restartCount !== source.attemptIndex + 1 || last.landedAs !== undefined) return undefined;
  // A source that ran gets its submit time when it has left. Of an accepted one it need not be known: that is ours by any.
  const { phase } = readSlurmState(job.state);
  if (phase === "unrecognised") return undefined;
  if (phase === "completing") return last.sourceRan === true ? undefined : { kind: "leaving" };
  if (last.sourceRan === true && last.outcome === "done") return undefined;
  return claims(last, job, sight) ? { kind: "landed", submitAt: job.submitAt } : undefined;
}

/** While its lease lasts, a SAC that was stopped may yet send what it has begun. */
const undoneFrom = ({ begunAt, endedAt }: JournalStep): Instant =>
  (endedAt ?? begunAt + limits.leaseMs + limits.commandLimitMs) + limits.settleMs;

/** The one that a hold can be of: it was sent, or may have been, and nobody has seen the source since. */
export const lastRequeue = <S extends JournalStep>(steps: readonly S[]): S | undefined =>
  steps.findLast((s) => s.action === "requeue-hold" && mayHaveActed(s) && s.undoneAt === undefined);

/** Attempt k+1, held or not, is there because we requeued its source. */
export const isOurRequeue = (job: SlurmJob, steps: readonly JournalStep[], sight: Sight): boolean =>
  claims(lastRequeue(steps), job, sight);

function claims(last: JournalStep | undefined, job: SlurmJob, { viewAt, blindMs = 0 }: Sight): boolean {
  if (last === undefined) return false;
  if (last.landedAs === job.submitAt) return true;
  // One whose source ran gets another one, too, when slurmctld crashes and has it leave once more.
  if (last.landedAs !== undefined && last.sourceRan !== true) return false;
  // Slurm accepted it, and the count is one higher: whatever the two hosts' clocks say, that was ours.
  if (last.outcome === "done") return true;
  const until = (last.endedAt ?? last.begunAt) + limits.claimWindowMs + blindMs;
  // It came after the look from which the requeue was begun: what is seen in its time came in its time, whatever slurmctld's clock says.
  if (viewAt <= until) return true;
  return job.submitAt >= last.begunAt - clockMs && job.submitAt <= until;
}
