/**
 * chain-link: for whom a job of a chain was let go: then it is the next part of the same work, and the same budgets hold.
 *
 * Pure, total
 * Keeps         nothing is guessed from names: only a release that SAC has recorded on this very job, for Advice about another one of the same
 *               chain, makes them one. A job that Slurm itself let run after another has no link, and begins anew.
 * Source        docs/decisions/0037.
 */
import type { AttemptRecord } from "@reprise/core/nouns.ts";

/** Links that are followed back; an older part of the chain counts no more. */
export const chainLinksMax = 20;

/** Its author says that it is one of a chain. */
export const isOfChain = ({ coverage, jobId }: AttemptRecord): boolean =>
  coverage.kind === "covered" && coverage.policy.autoResumeMode === "singleton_dependency" && jobId !== "";

/** As SAC tells a step that it took on another job than its Advice's (docs/audit-events.md). */
export const onJob = (jobId: string): string => `on job ${jobId}`;

export const isOnJob = (detail: string, jobId: string): boolean =>
  detail === onJob(jobId) || detail.startsWith(`${onJob(jobId)}: `);
