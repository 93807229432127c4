/**
 * read-node-lines: the lines of nodes that concern attempts, and the attempts that were on nodes. It only reads.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { NodeLine } from "@reprise/protocol/wire/node-line.ts";
import type { TargetLine } from "../../node-log-store.ts";
import { hasLogs, type JobRow } from "../attempt/job-row.ts";
import {
  awaitedBy,
  awaitedSince,
  linesConcerning,
  type Resident,
  residentSince,
  type WholeLook,
} from "../rules/node-window.ts";
import type { Db } from "./schema.ts";
import { selectJobs, toJobRow } from "./select-jobs.ts";
import { present } from "./storable.ts";

/** Attempts, covered or not, that may have been on nodes of these lines when they were written. */
export async function residentsOf(db: Db, cluster: string, lines: readonly NodeLine[], now: Instant) {
  if (lines.length === 0) return [];
  const since = residentSince(lines, now);
  const nodes = [...new Set(lines.map(({ node }) => node))];
  const rows = await selectJobs(db)
    .where("job.cluster", "=", cluster)
    .where("job.started_at", "is not", null)
    .where(sql<boolean>`(job.status in ('PENDING', 'RUNNING') or job.ended_at >= ${since})`)
    .where(sql<boolean>`job.nodes ?| ${nodes}::text[]`)
    .orderBy("job.created_seq")
    .execute();
  return rows.map(toJobRow);
}

/** @returns By UUID; attempts that no line concerns are left out. */
export async function nodeLinesOf(
  db: Db,
  attempts: readonly (Resident & { readonly cluster: string })[],
  now: Instant,
): Promise<ReadonlyMap<string, readonly TargetLine[]>> {
  const found = new Map<string, readonly TargetLine[]>();
  for (const [cluster, of] of Map.groupBy(attempts, (attempt) => attempt.cluster)) {
    const lines = await linesOn(db, cluster, [...new Set(of.flatMap(({ nodes }) => nodes))]);
    if (lines.length === 0) continue;
    const neighbours = await residentsOf(db, cluster, lines, now);
    const byNode = Map.groupBy(lines, ({ node }) => node);
    for (const attempt of of) {
      const own = linesConcerning(
        attempt,
        attempt.nodes.flatMap((node) => byNode.get(node) ?? []),
        neighbours,
      );
      if (own.length > 0) found.set(attempt.heimdallJobId, own);
    }
  }
  return found;
}

async function linesOn(db: Db, cluster: string, nodes: readonly string[]): Promise<NodeLine[]> {
  if (nodes.length === 0) return [];
  const rows = await db
    .selectFrom("node_line")
    .select(["node", "at", "line", "key", "path", "offset"])
    .where("cluster", "=", cluster)
    .where(sql<boolean>`node = any(${[...nodes]}::text[])`)
    .orderBy("at")
    .orderBy("id")
    .execute();
  return rows.map(({ node, at, line, key, path, offset }) => ({ node, at, line, key, ...present({ path, offset }) }));
}

/** What a look has shown of attempts whose nodes have written meanwhile. Asked before the look is saved. */
export interface Look {
  readonly cluster: string;
  readonly takenAt: Instant;
  readonly lists: (attempt: JobRow) => boolean;
  /** When all of Slurm was seen last. */
  readonly before: WholeLook | undefined;
}

/** @returns UUIDs of the attempts that lines have waited for. */
export async function awaitedLinesIn(db: Db, look: Look, now: Instant): Promise<readonly string[]> {
  const { cluster, takenAt, before = {} } = look;
  const { rows: lines } = await sql<NodeLine>`
    select node, at, line, key from node_line
    where cluster = ${cluster} and at > ${before.completeAt ?? 0} and at <= ${takenAt}
      and recorded_at > ${awaitedSince(before)}`.execute(db);
  const residents = (await residentsOf(db, cluster, lines, now)).filter((row) => hasLogs(row) && look.lists(row));
  return awaitedBy(lines, residents, takenAt).map(({ heimdallJobId }) => heimdallJobId);
}
