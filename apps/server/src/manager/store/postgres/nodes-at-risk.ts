/**
 * nodes-at-risk: on how many nodes watched attempts ran at some moment: against so many a node that fails is compared.
 *
 * Gives   by UUID of the attempt, the number at its moment, the attempt's own nodes among them; at least 1.
 * Bound   one statement for all of them, and what ran in between them; the rest is counted here: the database would go through all
 *         jobs once for each attempt.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import { isAmong } from "./prepared.ts";
import type { Tx } from "./schema.ts";

interface Moment {
  readonly heimdallJobId: string;
  readonly at: Instant;
}

interface Run {
  readonly from: Instant;
  /** Null: it runs. */
  readonly until: Instant | null;
}

/** @param moments Of attempts of this cluster, one at least. */
export async function nodesAtRisk(
  tx: Tx,
  cluster: string,
  moments: readonly Moment[],
): Promise<ReadonlyMap<string, number>> {
  const uuids = moments.map(({ heimdallJobId }) => heimdallJobId);
  const rows = await tx
    .selectFrom("job")
    .select(["heimdall_job_id", "nodes"])
    .where(isAmong("heimdall_job_id", uuids))
    .execute();
  const own = new Map(rows.map((row) => [row.heimdall_job_id, row.nodes]));
  const runs = await runsOf(tx, cluster, moments);
  return new Map(moments.map(({ heimdallJobId: uuid, at }) => [uuid, runs.countAt(at, own.get(uuid) ?? [])]));
}

async function runsOf(tx: Tx, cluster: string, moments: readonly Moment[]): Promise<Runs> {
  const times = moments.map(({ at }) => at);
  const { rows } = await sql<Run & { readonly node: string }>`
    select node, started_at as "from", case when is_listed and status = 'RUNNING' then null else ended_at end as until
    from job cross join lateral jsonb_array_elements_text(nodes) node
    where cluster = ${cluster} and coverage->>'kind' = 'covered' and started_at <= ${Math.max(...times)}::bigint
      and ((is_listed and status = 'RUNNING') or ended_at >= ${Math.min(...times)}::bigint)`.execute(tx);
  return new Runs(Map.groupBy(rows, ({ node }) => node));
}

class Runs {
  private readonly byNode: ReadonlyMap<string, readonly Run[]>;
  /** Those who fail together mostly fail in the same second. */
  private readonly counted = new Map<Instant, number>();

  constructor(byNode: ReadonlyMap<string, readonly Run[]>) {
    this.byNode = byNode;
  }

  countAt(at: Instant, own: readonly string[]): number {
    let count = this.counted.get(at);
    if (count === undefined) {
      count = 0;
      for (const runs of this.byNode.values()) if (runs.some((run) => covers(run, at))) count++;
      this.counted.set(at, count);
    }
    const others = [...new Set(own)].filter((node) => !this.byNode.get(node)?.some((run) => covers(run, at)));
    return Math.max(1, count + others.length);
  }
}

const covers = ({ from, until }: Run, at: Instant): boolean => from <= at && (until === null || until >= at);
