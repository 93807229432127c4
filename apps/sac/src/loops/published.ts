/**
 * published: what SAC has told and the server has taken, as far as SAC knows.
 *
 * Keeps   what is in doubt is settled before anything is told on top of it: by asking which report the server took last, or by telling
 *         everything again.
 * Source  docs/decisions/0034, docs/decisions/0061
 */
import type { LastSeen } from "@reprise/core/fact/attempts-of.ts";
import type { Instant, SlurmJob, SlurmNode } from "@reprise/core/nouns.ts";
import type { PassReport } from "../server.ts";
import type { Pass } from "../slurm/slurm.ts";

/** What the server knows of one scheduler job. */
export interface LastPublished {
  /** The row: the same again is the same report, when its report depended on nothing else that was remembered before it (`isSettled`). */
  readonly job: SlurmJob;
  readonly isSettled: boolean;
  /** The last report of each attempt, as text. */
  readonly fingerprints: ReadonlyMap<number, string>;
  readonly lastSeen: LastSeen | undefined;
}

/** Slurm shows them while the attempt waits. */
export interface PartitionsSeen {
  /** Each attempt has its own. */
  readonly submitAt: Instant;
  readonly partition: string;
}

/** What the server has taken. */
export interface Published {
  readonly jobs: Map<string, LastPublished>;
  /** The listing that they were taken from and the attempts seen in it, when the same listing again is the same report. */
  whole: { readonly of: ReadonlyMap<string, SlurmJob>; readonly seen: PassReport["seen"] } | undefined;
  readonly nodes: Map<string, SlurmNode>;
  /** The table that they were taken from: the same again holds nothing new. */
  nodesFrom: ReadonlyMap<string, SlurmNode> | undefined;
  /** Of jobs that ask for several partitions: all that this SAC has seen of the attempt, whether the server has taken it or not. */
  readonly partitions: Map<string, PartitionsSeen>;
  /** The last pass did not count: this host's clock was set back, or another SAC's is ahead. */
  isIgnored: boolean;
  /** Of the last report that the server has taken: where it still has that one, it has all that it was told before it. */
  lastReportId: string | undefined;
  /** The server has failed, and may come back as another one that has lost what it had taken: it is to be asked first. */
  isInDoubt: boolean;
}
export const nothingPublished = (): Published => ({
  jobs: new Map(),
  whole: undefined,
  nodes: new Map(),
  nodesFrom: undefined,
  partitions: new Map(),
  isIgnored: false,
  lastReportId: undefined,
  isInDoubt: false,
});

/** Of each look that a pass begins with, also where nobody can be told of it. */
export function rememberPartitions({ partitions }: Published, { jobs, unreadable }: Pass): void {
  for (const jobId of partitions.keys()) if (!jobs.has(jobId) && !unreadable.has(jobId)) partitions.delete(jobId);
  for (const { jobId, state, submitAt, partition } of jobs.values()) {
    if (partition.includes(",")) partitions.set(jobId, { submitAt, partition });
    else if (state === "PENDING") partitions.delete(jobId); // Its owner has changed it.
  }
}

/** What the server has is not known any more, or it may be another one: everything is published again. */
export function forgetPublished(published: Published): void {
  published.jobs.clear();
  published.whole = undefined;
  published.nodes.clear();
  published.nodesFrom = undefined;
  published.isIgnored = false;
  published.lastReportId = undefined;
  published.isInDoubt = false;
}

/** @param lastReportId What the server says that it has taken last. */
export function settleDoubt(published: Published, lastReportId: string | undefined): void {
  if (lastReportId === undefined || lastReportId !== published.lastReportId) forgetPublished(published);
  published.isInDoubt = false;
}
