/**
 * incarnation: does a sighting belong to the job that we recorded under this ID, or to another job that got the same ID?
 *
 * In the loop   report → **relate** → which record it updates, or begins
 * Takes         all recorded attempts of the newest incarnation of one job ID, and one sighting of that job ID.
 * Pure, total
 * Keeps         no Advice, budget or exclusion of one job ever reaches another that Slurm gave the same ID.
 * Source        design §4. Slurm wraps IDs and reissues one after a controller crash; a requeue resets the submit time and
 *               the SLUID; a rollback brings the old ones back. Measured on 22.05 and 25.11.
 */
import type { Instant } from "../nouns.ts";

/** What names an attempt in Slurm. Each absent field is one that the reporter did not know. */
export interface Sighting {
  readonly restartCount: number;
  /** Of this attempt: a requeue resets it, so attempt 0 keeps the job's own. Compared in whole seconds, Slurm's unit. */
  readonly submitAt?: Instant | undefined;
  readonly user?: string | undefined;
  readonly command?: string | undefined;
  /** Slurm 25.11 and later. */
  readonly sluid?: string | undefined;
}

export type Relation =
  /** A record of this very attempt exists. */
  | "same-attempt"
  /** The record with this restart count, once more: the controller lost it in a crash and counted there again. Audit it. */
  | "repeated-attempt"
  /** The recorded job, an attempt that has no record yet: usually the next one; counts may have gaps. */
  | "another-attempt"
  /** Another job with the same ID. */
  | "new-incarnation"
  /** A job that had this ID before the recorded one: a late report, which changes nothing of the newest incarnation. */
  | "earlier-incarnation";

export function relate(recorded: readonly Sighting[], seen: Sighting): Relation {
  if (recorded.length === 0) return "new-incarnation";
  const sameCount = recorded.find((attempt) => attempt.restartCount === seen.restartCount);
  const known = sameCount === undefined ? "another-attempt" : "same-attempt";

  // A SLUID is never reissued. While attempt k is COMPLETING after a requeue, k+1 still shows k's: hence any record.
  if (recorded.some((attempt) => agree(attempt.sluid, seen.sluid))) return known;
  // No requeue and no rollback changes whose job it is, or what it runs.
  if (recorded.some((attempt) => differ(attempt.user, seen.user) || differ(attempt.command, seen.command))) {
    return isOlder(recorded, seen) ? "earlier-incarnation" : "new-incarnation";
  }
  if (isOlder(recorded, seen)) return "earlier-incarnation";
  // The first attempt is older than every requeue of the same job.
  if (seen.restartCount === 0 && recorded.some((attempt) => secondsBetween(attempt.submitAt, seen.submitAt) > 0)) {
    return "new-incarnation";
  }
  // The same second: a task that is split off its array gets a SLUID of its own, and is still the same attempt.
  return secondsBetween(sameCount?.submitAt, seen.submitAt) === 0 ? known : "repeated-attempt";
}

/** Submitted before the recorded job was: nothing of that job can be as old. */
function isOlder(recorded: readonly Sighting[], seen: Sighting): boolean {
  const first = recorded.find((attempt) => attempt.restartCount === 0);
  return secondsBetween(first?.submitAt, seen.submitAt) < 0;
}

/** 0 when one of them is not known: what is not known tells nothing apart. */
function secondsBetween(earlier: Instant | undefined, later: Instant | undefined): number {
  if (earlier === undefined || later === undefined) return 0;
  return Math.floor(later / 1000) - Math.floor(earlier / 1000);
}

const agree = (a: string | undefined, b: string | undefined): boolean => a !== undefined && a === b;
const differ = (a: string | undefined, b: string | undefined): boolean => a !== undefined && b !== undefined && a !== b;
