/**
 * unread: rows that could not be read and that a plan would take for jobs that are not there.
 *
 * In the loop   part of plan: where there is one, nothing follows from this view
 * Pure, total
 * Keeps         invariant 6: a component, a sibling or a dependent whose row says something unknown is not absent. A row of which
 *               nothing could be read may be any of them. And invariant 10: no hold of ours lasts because of a component that cannot be read.
 * Bound         `limits.failOpenAfterMs`, counted while Slurm answers.
 * Source        docs/decisions/0051, 0059.
 */
import { isLeader } from "../fact/heterogeneous.ts";
import { isPending } from "../fact/slurm-state.ts";
import { limits } from "../limits.ts";
import type { Instant, SlurmJob, SlurmView, UnreadableRow } from "../nouns.ts";
import { isOfChain } from "./chain.ts";
import { isSingleton, mayWaitFor } from "./dependents.ts";
import { holdOwner, lastRequeue } from "./ownership.ts";
import type { Known, SeenView } from "./step.ts";
import type { Work } from "./work.ts";

/** Why nothing follows from this view for this work, in a sentence. Undefined: every row that counts was read, or is waited for no longer. */
export function unreadFor(work: Work, job: SlurmJob, view: SeenView, known: Known, now: Instant): string | undefined {
  if (work.desired === "TERMINATED") return undefined; // The job alone is ended, or its leader, with all that it leads.
  const isChained = work.isOfChain === true || isOfChain(work, job, view.value, known);
  let component: string | undefined;
  for (const [jobId, row] of view.value.unreadable) {
    if (isLeader(job) && mayBeLedBy(row, job)) component ??= sentence(`component ${jobId}`, row);
    if (work.desired !== "RESTARTED" || !mayBeSibling(row, job)) continue;
    if (isChained || known.singletons?.has(jobId) === true || isSingleton(row.shown?.dependency))
      return sentence(`job ${jobId}, of the same name,`, row);
  }
  return isHeldForLong(work, job, view, known, now) ? undefined : component;
}

/**
 * Then the leader is let go, and the components that can be read keep their exclusions: the other one may start on the bad node, which
 * costs a restart. (A sibling is waited for all the same: two of a chain that run at once spoil each other's checkpoints.)
 */
function isHeldForLong(work: Work, job: SlurmJob, { at }: SeenView, known: Known, now: Instant): boolean {
  const { steps, marker, blindMs = 0 } = known;
  if (!isPending(job) || holdOwner(work, job, steps, marker.value, { viewAt: at, blindMs }) !== "ours") return false;
  const requeue = lastRequeue(steps);
  const heldSince = Math.max(requeue?.endedAt ?? requeue?.begunAt ?? job.submitAt, job.submitAt);
  return now - heldSince - blindMs >= limits.failOpenAfterMs;
}

/** Somebody who may wait for this job by `--dependency`: what became of him is not known. */
export const hasUnreadDependents = (parent: SlurmJob, { unreadable }: SlurmView): boolean =>
  [...unreadable.values()].some(({ shown }) => shown === undefined || mayWaitFor(shown, parent));

const mayBeLedBy = ({ shown }: UnreadableRow, { jobId }: SlurmJob) => shown === undefined || shown.hetJobId === jobId;

const mayBeSibling = ({ shown }: UnreadableRow, { user, name }: SlurmJob) =>
  shown === undefined || (shown.user === user && shown.name === name);

const sentence = (who: string, { why }: UnreadableRow) => `Slurm's row of ${who} could not be read: ${why}`;
