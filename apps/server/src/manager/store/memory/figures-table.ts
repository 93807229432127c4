/** figures-table: recoveries and runs of a window, from the stories of their jobs. See `postgres/figures-store.ts`. */
import { slurmFactsOf } from "@reprise/core/fact/slurm-facts.ts";
import type { RunRecord } from "@reprise/core/figures/effective.ts";
import type { RecoveryRecord } from "@reprise/core/figures/recovery.ts";
import { isOfGates } from "@reprise/core/dag/gate-rule.ts";
import type { Advice, DesiredState, Instant } from "@reprise/core/nouns.ts";
import type { FiguresRecords, FiguresWindow } from "../../figures-store.ts";
import { stagesOf, timesOf } from "../../stages.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import { isFinal } from "../attempt/job-row.ts";
import { present } from "../postgres/storable.ts";
import { siblingsOf } from "./job-table.ts";
import { attemptStory } from "./load-facts.ts";
import { sequencesOf } from "./sequence-table.ts";
import type { Tables } from "./tables.ts";

export function figuresIn(t: Tables, window: FiguresWindow, limit: number): FiguresRecords {
  return {
    recoveries: recoveriesIn(t, window, limit),
    runs: askedRows(t, window)
      .flatMap((row) => runOf(t, row, window) ?? [])
      .slice(0, limit),
  };
}

export const recoveriesIn = (t: Tables, window: FiguresWindow, limit: number): readonly RecoveryRecord[] =>
  askedRows(t, window)
    .flatMap((row) => recoveryOf(t, row, window) ?? [])
    .slice(0, limit);

/** By UUID. */
export const askedRows = (t: Tables, window: FiguresWindow): readonly NumberedRow[] =>
  [...t.jobs.values()]
    .filter((row) => isAsked(row, window))
    .sort((a, b) => (a.heimdallJobId < b.heimdallJobId ? -1 : 1));

function isAsked(row: NumberedRow, asked: FiguresWindow): boolean {
  const { cluster, workflowId } = row;
  const { partition } = slurmFactsOf(row);
  const partitions = typeof partition === "string" ? partition.split(",") : [];
  return (
    (asked.cluster === undefined || cluster === asked.cluster) &&
    (asked.workflowId === undefined || workflowId === asked.workflowId) &&
    (asked.partition === undefined || partitions.includes(asked.partition))
  );
}

/** The moment is in the window. */
export const isWithin = (at: Instant, { from, to }: FiguresWindow): boolean => at >= from && at < to;

/** What gates advise, and a restart after a clean end, is none. */
export const isRecovery = <Said extends Pick<Advice, "desired" | "because">>(
  said: Said,
): said is Said & { readonly desired: Exclude<DesiredState, "RELEASED"> } =>
  said.desired !== "RELEASED" && !isOfGates(said.because) && said.because !== "completed";

function recoveryOf(t: Tables, row: NumberedRow, window: FiguresWindow): RecoveryRecord | undefined {
  const head = t.heads.get(row.heimdallJobId);
  if (head === undefined || !isWithin(head.createdAt, window)) return undefined;
  const story = attemptStory(t, row);
  const said = story.advice.at(-1);
  const after = siblingsOf(t, row)
    .filter((other) => other.attemptIndex > row.attemptIndex)
    .map((other) => attemptStory(t, other));
  const times = timesOf(story, after, sequencesOf(t, [row.heimdallJobId]));
  const [issue] = said?.issues ?? [];
  if (said === undefined || times === undefined || issue === undefined || !isRecovery(said)) return undefined;
  const { desired, because, status, withdrawnAt, expiresAt } = said;
  return {
    ...times,
    heimdallJobId: row.heimdallJobId,
    desired,
    because,
    causeClass: issue.causeClass,
    domain: issue.domain,
    disposition: status.disposition,
    reason: status.reason,
    isWithdrawn: withdrawnAt !== undefined,
    expiresAt,
    nodes: row.nodes.length,
    hasDetails: !t.detailExpired.has(row.heimdallJobId),
    ...present({ completedAt: stagesOf(story, after).trainingCompletedAt }),
  };
}

function runOf(t: Tables, row: NumberedRow, { from, to }: FiguresWindow): RunRecord | undefined {
  const { heimdallJobId, cluster, jobId, incarnation, attemptIndex, endedAt, status, coverage } = row;
  const family = siblingsOf(t, row);
  const previous = family.findLast((other) => other.attemptIndex < attemptIndex);
  const next = family.find((other) => other.attemptIndex > attemptIndex);
  const fromAt = previous?.endedAt ?? row.startedAt;
  if (coverage.kind !== "covered" || row.createdAt >= to || !lasts(status, endedAt, from)) return undefined;
  if (fromAt === undefined || fromAt >= to) return undefined;
  const { firstStep, firstStepAt, lastStep, lastStepAt } = t.progress.get(heimdallJobId) ?? {};
  const after = next && t.progress.get(next.heimdallJobId);
  return {
    heimdallJobId,
    cluster,
    jobId,
    incarnation,
    nodes: row.nodes.length || (previous?.nodes.length ?? 0),
    fromAt,
    progress: present({ firstStep, firstStepAt, lastStep, lastStepAt }),
    ...present({ endedAt, resumedFromStep: after?.resumedFromStep ?? after?.firstStep }),
  };
}

const lasts = (status: NumberedRow["status"], endedAt: Instant | undefined, from: Instant): boolean =>
  endedAt === undefined ? !isFinal(status) : endedAt >= from;
