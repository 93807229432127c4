/** now-table: how jobs stand now. See `postgres/now-store.ts`. */
import { latestAttempt } from "@reprise/core/identity/latest-attempt.ts";
import { isCarriedOut, type JobStanding, jobStandingOf } from "@reprise/core/now/job-standing.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { JobCounts, LeaseRecord, StandingFilter, StandingRecord } from "../../now-store.ts";
import type { Page } from "../../store.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import { isFinal } from "../attempt/job-row.ts";
import { present } from "../postgres/storable.ts";
import { getAdvice } from "./advice-table.ts";
import { isUndecided } from "./facts-table.ts";
import { attemptOf, kinOf, siblingsOf } from "./job-table.ts";
import type { Tables } from "./tables.ts";

export function listStandings(
  t: Tables,
  filter: StandingFilter,
  { before = Infinity, limit }: { readonly before?: number; readonly limit: number },
  now: Instant,
): Page<StandingRecord> {
  const asked = newestAttempts(t, filter.cluster, (row) => row.createdSeq < before && isAsked(row, filter));
  const found = asked
    .filter((row) => filter.standing === undefined || standingOf(t, row, now) === filter.standing)
    .sort((a, b) => b.createdSeq - a.createdSeq);
  const rows = found.slice(0, limit).map((row) => standingRecord(t, row, now));
  return { rows, hasMore: found.length > limit };
}

export function countJobs(t: Tables, cluster: string, endedFrom: Instant, now: Instant): JobCounts {
  const isCounted = ({ status, endedAt }: NumberedRow) => !isFinal(status) || (endedAt ?? 0) >= endedFrom;
  const newest = newestAttempts(t, cluster, isCounted);
  const rows = newest.map((row) => ({ row, standing: standingOf(t, row, now) }));
  const of = (standing: string) => rows.filter((one) => one.standing === standing).map(({ row }) => row);
  const running = rows
    .map(({ row }) => row)
    .filter(({ status, coverage }) => status === "RUNNING" && coverage.kind === "covered");
  return {
    running: running.length,
    watched: running.filter(({ heimdallJobId }) => (t.targets.get(heimdallJobId)?.expiresAt ?? 0) > now).length,
    unreadable: running.filter(({ heimdallJobId }) =>
      [...(t.positions.get(heimdallJobId)?.values() ?? [])].some(({ unreadable }) => unreadable !== undefined),
    ).length,
    waiting: of("waiting").length,
    recovering: of("recovering").length,
    deciding: of("deciding").length,
    stopped: of("stopped").length,
    notCovered: of("not-covered").filter(({ status }) => !isFinal(status)).length,
  };
}

export function leaseOf(t: Tables, cluster: string): LeaseRecord | undefined {
  const lease = t.leases.get(cluster);
  if (lease === undefined) return undefined;
  const { holder, term, expiresAt } = lease;
  return { holder, term, expiresAt };
}

/** Of each job the attempt that it is now. Most rows are not asked for: that is asked first. */
function newestAttempts(t: Tables, cluster: string, isAskedFor: (row: NumberedRow) => boolean): NumberedRow[] {
  const newest: NumberedRow[] = [];
  for (const row of t.jobs.values())
    if (row.cluster === cluster && isAskedFor(row) && isNewest(t, row)) newest.push(row);
  return newest;
}

function isNewest(t: Tables, row: NumberedRow): boolean {
  if (row.status !== "DELETED" && isLast(t, row)) return true; // So it is of most jobs.
  return latestAttempt(siblingsOf(t, row)) === row;
}

function isLast(t: Tables, row: NumberedRow): boolean {
  for (const { attemptIndex } of kinOf(t, row)) if (attemptIndex > row.attemptIndex) return false;
  return true;
}

/** Advice about the newest attempt of a job, or one before it, is being carried out. */
function isRecovering(t: Tables, row: NumberedRow, now: Instant): boolean {
  for (const { heimdallJobId, attemptIndex } of kinOf(t, row)) {
    const advice = attemptIndex > row.attemptIndex ? undefined : getAdvice(t, heimdallJobId);
    if (advice !== undefined && isCarriedOut(advice, now)) return true;
  }
  return false;
}

const isAsked = ({ workflowId, jobId, jobName = "", status, endedAt }: NumberedRow, filter: StandingFilter): boolean =>
  (filter.workflowId === undefined || workflowId === filter.workflowId) &&
  (filter.endedFrom === undefined || !isFinal(status) || (endedAt ?? 0) >= filter.endedFrom) &&
  (filter.search === undefined || jobId.startsWith(filter.search) || jobName.startsWith(filter.search));

function standingOf(t: Tables, row: NumberedRow, now: Instant): JobStanding {
  const { heimdallJobId: uuid } = row;
  return jobStandingOf({
    attempt: row,
    advice: getAdvice(t, uuid),
    isRecovering: isRecovering(t, row, now),
    isUndecided: isUndecided(t, uuid),
  });
}

function standingRecord(t: Tables, row: NumberedRow, now: Instant): StandingRecord {
  const { heimdallJobId: uuid, createdSeq } = row;
  const { lastStep, lastStepAt } = t.progress.get(uuid) ?? {};
  const upToIt = siblingsOf(t, row).filter(({ attemptIndex }) => attemptIndex <= row.attemptIndex);
  const advices = upToIt.flatMap((one) => getAdvice(t, one.heimdallJobId) ?? []);
  return {
    attempt: attemptOf(t, row),
    standing: standingOf(t, row, now),
    lastStep: present({ lastStep, lastStepAt }),
    ...present({ decision: t.decisions.get(uuid), advice: advices.at(-1) }),
    createdSeq,
  };
}
