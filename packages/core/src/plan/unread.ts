/**
 * unread: rows that could not be read and that a plan would take for jobs that are not there.
 *
 * In the loop   part of plan: where there is one, nothing follows from this view
 * Pure, total
 * Keeps         invariant 6: a component, a sibling or a dependent whose row says something unknown is not absent. A row of which
 *               nothing could be read may be any of them.
 * Source        docs/decisions/0051.
 */
import { isLeader } from "../fact/heterogeneous.ts";
import type { SlurmJob, SlurmView, UnreadableRow } from "../nouns.ts";
import { isOfChain } from "./chain.ts";
import { isSingleton, mayWaitFor } from "./dependents.ts";
import type { Known } from "./step.ts";
import type { Work } from "./work.ts";

/** Why nothing follows from this view for this work, in a sentence. Undefined: every row that counts was read. */
export function unreadFor(
  work: Work,
  job: SlurmJob,
  view: SlurmView,
  known: Pick<Known, "singletons">,
): string | undefined {
  if (work.desired === "TERMINATED") return undefined; // The job alone is ended, or its leader, with all that it leads.
  const isChained = work.isOfChain === true || isOfChain(work, job, view, known);
  for (const [jobId, row] of view.unreadable) {
    if (isLeader(job) && mayBeLedBy(row, job)) return sentence(`component ${jobId}`, row);
    if (work.desired !== "RESTARTED" || !mayBeSibling(row, job)) continue;
    if (isChained || known.singletons?.has(jobId) === true || isSingleton(row.shown?.dependency))
      return sentence(`job ${jobId}, of the same name,`, row);
  }
  return undefined;
}

/** Somebody who may wait for this job by `--dependency`: what became of him is not known. */
export const hasUnreadDependents = (parent: SlurmJob, { unreadable }: SlurmView): boolean =>
  [...unreadable.values()].some(({ shown }) => shown === undefined || mayWaitFor(shown, parent));

const mayBeLedBy = ({ shown }: UnreadableRow, { jobId }: SlurmJob) => shown === undefined || shown.hetJobId === jobId;

const mayBeSibling = ({ shown }: UnreadableRow, { user, name }: SlurmJob) =>
  shown === undefined || (shown.user === user && shown.name === name);

const sentence = (who: string, { why }: UnreadableRow) => `Slurm's row of ${who} could not be read: ${why}`;
