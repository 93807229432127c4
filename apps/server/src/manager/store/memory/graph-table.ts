/** graph-table: the jobs that wait for others, and whom they wait for. See `postgres/graph-store.ts`. */
import { arrayOf, type GraphAttempt, isWaiting } from "@reprise/core/dag/graph.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import { present } from "../postgres/storable.ts";
import { getAdvice } from "./advice-table.ts";
import { raiseKnownFacts } from "./facts-table.ts";
import { familyOf } from "./job-table.ts";
import type { Tables } from "./tables.ts";

const waitingIn = (t: Tables): readonly NumberedRow[] =>
  [...t.jobs.values()].filter((row) => row.jobId !== "" && isWaiting(row));

/** Whoever of this cluster waits for others: what was decided about them may hang on what is learnt now. */
export const waitingOf = (t: Tables, cluster: string): readonly string[] =>
  waitingIn(t).flatMap((row) => (row.cluster === cluster ? [row.heimdallJobId] : []));

export function loadGraph(t: Tables): readonly GraphAttempt[] {
  const waiting = waitingIn(t);
  const members = new Map(waiting.map((row) => [row.heimdallJobId, row]));
  const [names, arrays] = [new Set<string>(), new Set<string>()];
  for (const { cluster, workflowId, coverage } of waiting) {
    if (coverage.kind !== "covered") continue;
    for (const { jobId, jobName } of coverage.policy.dagDependencies) {
      if (jobId === undefined) names.add(JSON.stringify([cluster, workflowId, jobName]));
      else {
        arrays.add(JSON.stringify([cluster, jobId]));
        for (const row of familyOf(t, cluster, jobId)) members.set(row.heimdallJobId, row);
      }
    }
  }
  if (names.size + arrays.size > 0)
    for (const row of t.jobs.values()) {
      const { jobId, cluster, workflowId, jobName } = row;
      if (jobId === "") continue;
      const isOfArray = jobId.includes("_") && arrays.has(JSON.stringify([cluster, arrayOf(jobId)]));
      if (isOfArray || names.has(JSON.stringify([cluster, workflowId, jobName]))) members.set(row.heimdallJobId, row);
    }
  return [...members.values()].map((row) => toGraphAttempt(t, row));
}

function toGraphAttempt(t: Tables, row: NumberedRow): GraphAttempt {
  const { heimdallJobId, cluster, jobId, incarnation, attemptIndex, workflowId, status, jmState, coverage } = row;
  const [facts, said] = [t.facts.get(heimdallJobId), getAdvice(t, heimdallJobId)];
  const advice = said && {
    desired: said.desired,
    disposition: said.status.disposition,
    ...present({ withdrawnAt: said.withdrawnAt }),
  };
  return {
    heimdallJobId,
    cluster,
    jobId,
    incarnation,
    attemptIndex,
    workflowId,
    status,
    jmState,
    coverage,
    submitAt: row.submitAt ?? row.createdAt,
    isDecided: facts !== undefined && facts.seq === facts.decidedSeq && facts.reconsiderAt === undefined,
    ...present({ jobName: row.jobName, startedAt: row.startedAt, advice }),
  };
}

export function reconsider(t: Tables, heimdallJobIds: readonly string[], now: Instant): void {
  raiseKnownFacts(
    t,
    heimdallJobIds.map((uuid) => uuid.toLowerCase()),
    now,
  );
}
