/** now-store: how jobs stand now, for people. Part of the contract of the store (`store.ts`). */
import type { JobStanding } from "@reprise/core/now/job-standing.ts";
import type { Advice, AttemptRecord, Instant, Progress } from "@reprise/core/nouns.ts";
import type { Page, StoredDecision } from "./store.ts";

/** One scheduler job, by its newest attempt: the one that it is now (`latestAttempt`). */
export interface StandingRecord {
  readonly attempt: AttemptRecord;
  readonly standing: JobStanding;
  readonly lastStep: Pick<Progress, "lastStep" | "lastStepAt">;
  /** The last one about that attempt. */
  readonly decision?: StoredDecision;
  /** The newest Advice about that attempt or one before it. */
  readonly advice?: Advice;
  /** For the walk: its place in the order of creation. */
  readonly createdSeq: number;
}

export interface StandingFilter {
  readonly cluster: string;
  readonly standing?: JobStanding;
  readonly workflowId?: string;
  /** The beginning of the job's ID or of its name. */
  readonly search?: string;
  /** Of those at rest only what has ended since. */
  readonly endedFrom?: Instant;
}

/** Of jobs that have ended: what ended before is no longer anybody's task of today. `Now` and the metrics count the same. */
export const endedCountedMs = 7 * 24 * 3_600_000;

/** Scheduler jobs, each once. */
export interface JobCounts {
  readonly running: number;
  /** Of those that run: a watcher holds their logs. */
  readonly watched: number;
  /** Of those that run: a log file of theirs cannot be read whole. */
  readonly unreadable: number;
  readonly waiting: number;
  readonly recovering: number;
  readonly deciding: number;
  readonly stopped: number;
  /** Alive. */
  readonly notCovered: number;
}

export interface NowStore {
  /** Newest first, by the creation of the newest attempt; those created before `before`. */
  listStandings(
    filter: StandingFilter,
    walk: { readonly before?: number; readonly limit: number },
    now: Instant,
  ): Promise<Page<StandingRecord>>;
  /** Of all jobs that live, or whose newest attempt has ended since `endedFrom`. */
  countJobs(cluster: string, endedFrom: Instant, now: Instant): Promise<JobCounts>;
  leaseOf(cluster: string): Promise<LeaseRecord | undefined>;
}

export interface LeaseRecord {
  readonly holder: string;
  readonly term: number;
  readonly expiresAt: Instant;
}
