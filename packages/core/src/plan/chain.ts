/**
 * chain: jobs of one user and name that ask Slurm to run one at a time (`--dependency=singleton`).
 *
 * In the loop   part of plan
 * Pure, total
 * Keeps         two of a chain never train beside each other because of us. Slurm shows `singleton` only while a job waits, and a
 *               requeued job has lost it: who was seen to wait so is remembered (`known.singletons`).
 * Source        design §8; docs/decisions/0032; slurm.md §2.8.
 */
import { isCompleting, isPending, isRunning } from "../fact/slurm-state.ts";
import type { SlurmJob, SlurmView } from "../nouns.ts";
import { isSingleton } from "./dependents.ts";
import type { Known } from "./step.ts";
import type { Work } from "./work.ts";

/** The same user's jobs of the same name, the oldest first. */
export function siblingsOf(job: SlurmJob, view: SlurmView): readonly SlurmJob[] {
  const siblings = [...view.jobs.values()].filter(
    (other) => other.jobId !== job.jobId && other.user === job.user && other.name === job.name,
  );
  return siblings.toSorted((a, b) => Number(a.recordId) - Number(b.recordId));
}

/** Whether the job is one of a chain: it was seen to wait as one, or others of its name wait behind it and nobody before it. */
export function isOfChain(
  work: Work,
  job: SlurmJob,
  view: SlurmView,
  { singletons }: Pick<Known, "singletons">,
): boolean {
  if (isSingleton(work.sourceDependency) || isSingleton(job.dependency)) return true;
  if (singletons?.has(job.jobId) === true) return true;
  const waiting = siblingsOf(job, view).filter(isPending);
  return (
    waiting.some(({ dependency }) => isSingleton(dependency)) &&
    waiting.every(({ recordId }) => Number(recordId) > Number(job.recordId))
  );
}

/**
 * A sibling that has an allocation, is just leaving it, or may have one at any moment: the job would run beside it, or in its stead. Slurm makes
 * none wait for a younger one, so that one behind the job that has had its turn, and waits for nobody (it was launched, or is to be), would start
 * beside it.
 */
export function overtakenBy(
  work: Work,
  job: SlurmJob,
  view: SlurmView,
  { singletons }: Pick<Known, "singletons">,
): SlurmJob | undefined {
  const isKnown = isSingleton(work.sourceDependency) || singletons?.has(job.jobId) === true;
  const hasHadItsTurn = (other: SlurmJob) =>
    isPending(other) &&
    (other.restartCount > 0 || (other.priority !== 0 && singletons?.has(other.jobId) === true)) &&
    !isSingleton(other.dependency) &&
    Number(other.recordId) > Number(job.recordId);
  return siblingsOf(job, view).find(
    (other) =>
      (isRunning(other) || isCompleting(other) || hasHadItsTurn(other)) &&
      (isKnown || singletons?.has(other.jobId) === true),
  );
}
