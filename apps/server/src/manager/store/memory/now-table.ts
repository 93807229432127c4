/** now-table: how jobs stand now. See `postgres/now-store.ts`. */
import { isCarriedOut, jobStandingOf } from "@reprise/core/now/job-standing.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { JobCounts, LeaseRecord, StandingFilter, StandingRecord } from "../../now-store.ts";
import type { Page } from "../../store.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import { isFinal } from "../attempt/job-row.ts";
import { present } from "../postgres/storable.ts";
import { getAdvice } from "./advice-table.ts";
import { isUndecided } from "./facts-table.ts";
import { attemptOf, siblingsOf } from "./job-table.ts";
import type { Tables } from "./tables.ts";

export function listStandings(
  t: Tables,
  filter: StandingFilter,
  { before = Infinity, limit }: { readonly before?: number; readonly limit: number },
  now: Instant,
): Page<StandingRecord> {
  const asked = newestAttempts(t, filter.cluster).filter((row) => row.createdSeq < before && isAsked(row, filter));
  const found = asked
    .sort((a, b) => b.createdSeq - a.createdSeq)
    .map((row) => standingRecord(t, row, now))
    .filter(({ standing }) => filter.standing === undefined || standing === filter.standing);
  return { rows: found.slice(0, limit), hasMore: found.length > limit };
}

export function countJobs(t: Tables, cluster: string, endedFrom: Instant, now: Instant): JobCounts {
  const rows = newestAttempts(t, cluster)
    .filter(({ status, endedAt }) => !isFinal(status) || (endedAt ?? 0) >= endedFrom)
    .map((row) => ({ row, standing: standingRecord(t, row, now).standing }));
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

function newestAttempts(t: Tables, cluster: string): NumberedRow[] {
  return [...t.jobs.values()].filter((row) => row.cluster === cluster && siblingsOf(t, row).at(-1) === row);
}

const isAsked = ({ workflowId, jobId, jobName = "", status, endedAt }: NumberedRow, filter: StandingFilter): boolean =>
  (filter.workflowId === undefined || workflowId === filter.workflowId) &&
  (filter.endedFrom === undefined || !isFinal(status) || (endedAt ?? 0) >= filter.endedFrom) &&
  (filter.search === undefined || jobId.startsWith(filter.search) || jobName.startsWith(filter.search));

function standingRecord(t: Tables, row: NumberedRow, now: Instant): StandingRecord {
  const { heimdallJobId: uuid, createdSeq } = row;
  const advices = siblingsOf(t, row).flatMap((one) => getAdvice(t, one.heimdallJobId) ?? []);
  const { lastStep, lastStepAt } = t.progress.get(uuid) ?? {};
  const attempt = attemptOf(t, row);
  const standing = jobStandingOf({
    attempt,
    advice: getAdvice(t, uuid),
    isRecovering: advices.some((advice) => isCarriedOut(advice, now)),
    isUndecided: isUndecided(t, uuid),
  });
  return {
    attempt,
    standing,
    lastStep: present({ lastStep, lastStepAt }),
    ...present({ decision: t.decisions.get(uuid), advice: advices.at(-1) }),
    createdSeq,
  };
}
