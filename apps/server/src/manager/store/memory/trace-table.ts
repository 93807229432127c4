/** trace-table: what of each recovery has been told as spans of a trace. See `postgres/trace-store.ts`. */
import type { Instant } from "@reprise/core/nouns.ts";
import type { OpenTrace, TraceClaim } from "../../trace-store.ts";
import type { Tables } from "./tables.ts";

export interface TraceRow {
  /** Absent: nothing more comes. */
  readonly dueAt?: Instant;
  readonly told: readonly string[];
}

export function claimTraces(t: Tables, { from, limit, claimMs }: TraceClaim, now: Instant): readonly OpenTrace[] {
  for (const { sequenceId, startedAt } of t.sequences.values())
    if (startedAt >= from && !t.traces.has(sequenceId)) t.traces.set(sequenceId, { dueAt: now, told: [] });
  const due = [...t.traces].flatMap(([sequenceId, { dueAt }]) =>
    dueAt !== undefined && dueAt <= now ? [{ sequenceId, dueAt }] : [],
  );
  return due
    .sort((a, b) => a.dueAt - b.dueAt || (a.sequenceId < b.sequenceId ? -1 : 1))
    .slice(0, limit)
    .flatMap(({ sequenceId }) => {
      t.traces.set(sequenceId, { told: [], ...t.traces.get(sequenceId), dueAt: now + claimMs });
      const sequence = t.sequences.get(sequenceId);
      const job = sequence && t.jobs.get(sequence.heimdallJobId);
      if (sequence === undefined || job === undefined) return [];
      const { operation, startedAt, heimdallJobId } = sequence;
      return [{ sequenceId, operation, startedAt, heimdallJobId, cluster: job.cluster, jobId: job.jobId }];
    });
}

export function tellSpans(t: Tables, sequenceId: string, names: readonly string[], dueAt?: Instant): readonly string[] {
  const row = t.traces.get(sequenceId);
  if (row === undefined) return [];
  const untold = names.filter((name) => !row.told.includes(name));
  t.traces.set(sequenceId, { told: [...row.told, ...untold], ...(dueAt === undefined ? {} : { dueAt }) });
  return untold;
}
