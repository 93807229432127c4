/**
 * chain-link: for whom a job of a chain was let go: then it is the next part of the same work, and the same budgets hold.
 *
 * Pure, total
 * Keeps         nothing is guessed from names: a release that SAC has recorded on this very job, for Advice about another one of the same
 *               chain, makes them one; or, where Slurm let it run by itself, that it was seen to wait as a singleton, and that the other one
 *               ended while it did so. What is submitted anew begins anew.
 * Source        docs/decisions/0037, 0050.
 */
import { slurmFactsOf } from "@reprise/core/fact/slurm-facts.ts";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import { isSingleton } from "@reprise/core/plan/dependents.ts";

/** Links that are followed back; an older part of the chain counts no more. */
export const chainLinksMax = 20;

/** Its author says that it is one of a chain. */
export const isOfChain = ({ coverage, jobId }: AttemptRecord): boolean =>
  coverage.kind === "covered" && coverage.policy.autoResumeMode === "singleton_dependency" && jobId !== "";

/** As SAC tells a step that it took on another job than its Advice's (docs/audit-events.md). */
export const onJob = (jobId: string): string => `on job ${jobId}`;

export const isOnJob = (detail: string, jobId: string): boolean =>
  detail === onJob(jobId) || detail.startsWith(`${onJob(jobId)}: `);

/** So many others of a job's workflow, user and name are looked at, the newest. */
export const namesakesMax = 100;

/**
 * Whom a job of a chain waited for that Slurm let run by itself: of its namesakes the one that ended last while it was already there.
 *
 * @param namesakes  Attempts of one cluster, workflow, user and name. Times are all Slurm's own.
 */
export function waitedFor<A extends AttemptRecord>(job: AttemptRecord, namesakes: readonly A[]): A | undefined {
  const { submitTime, startTime, dependency } = slurmFactsOf(job);
  if (!isOfChain(job) || typeof submitTime !== "number" || typeof startTime !== "number") return undefined;
  if (typeof dependency !== "string" || !isSingleton(dependency)) return undefined;
  const endOf = (other: A): number => {
    const { endTime } = slurmFactsOf(other);
    return typeof endTime === "number" && endTime > submitTime && endTime <= startTime ? endTime : 0;
  };
  const before = namesakes.filter((other) => other.jobId !== job.jobId && isOfChain(other) && endOf(other) > 0);
  return before.toSorted((a, b) => endOf(b) - endOf(a))[0];
}
