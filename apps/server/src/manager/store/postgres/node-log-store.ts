/**
 * node-log-store: which watcher reads the logs of which node.
 *
 * Writes   table `node_log`: a row for each node that was ever read for an attempt, with its lease and the positions of its files.
 * Keeps    at most one watcher holds a node at a time; one that falls silent loses it after its lease.
 */
import { sql } from "kysely";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { NodeLogPosition } from "@reprise/protocol/wire/node-line.ts";
import type { NodeLog, NodeLogStore } from "../../node-log-store.ts";
import { nameOf, wantedNodes } from "../rules/wanted-nodes.ts";
import type { Db } from "./schema.ts";
import { selectJobs, toJobRow } from "./select-jobs.ts";

type NodeLogAsk = Parameters<NodeLogStore["claimNodeLogs"]>[0];
type Row = Pick<NodeLog, "cluster" | "node"> & { readonly positions: readonly NodeLogPosition[] };

export async function claimNodeLogs(
  db: Db,
  { watcher, limit }: NodeLogAsk,
  leaseMs: number,
  now: Instant,
): Promise<readonly NodeLog[]> {
  return await db.transaction().execute(async (tx) => {
    const wanted = limit === 0 ? [] : wantedNodes(await readFor(tx, now));
    const [clusters, nodes] = [wanted.map(({ cluster }) => cluster), wanted.map(({ node }) => node)];
    if (wanted.length > 0) {
      await sql`
        insert into node_log (cluster, node, watcher, expires_at, positions)
        select cluster, node, null, 0, '[]' from unnest(${clusters}::text[], ${nodes}::text[]) as w (cluster, node)
        order by cluster, node
        on conflict (cluster, node) do nothing`.execute(tx);
    }
    const { rows } = await sql<Row>`
      update node_log set watcher = ${watcher}, expires_at = ${now + leaseMs}
      where (cluster, node) in (
        select cluster, node from node_log
        where (cluster, node) in (select * from unnest(${clusters}::text[], ${nodes}::text[]))
          and (watcher = ${watcher} or expires_at <= ${now})
        order by watcher is distinct from ${watcher}, cluster, node limit ${limit} for update skip locked)
      returning cluster, node, positions`.execute(tx);
    const held = new Map(rows.map((row) => [nameOf(row), row.positions]));
    await sql`
      update node_log set watcher = null, expires_at = 0
      where watcher = ${watcher} and not (cluster || ' ' || node) = any(${[...held.keys()]}::text[])`.execute(tx);
    return wanted.flatMap((one) => {
      const positions = held.get(nameOf(one));
      return positions === undefined ? [] : [{ ...one, positions }];
    });
  });
}

/** Attempts whose logs are being read, and those that have ended a moment ago. */
async function readFor(db: Db, now: Instant) {
  const rows = await selectJobs(db)
    .where(sql<boolean>`(job.ended_at >= ${now - limits.nodeLogLateMs}
      or job.heimdall_job_id in (select heimdall_job_id from target_lease))`)
    .execute();
  return rows.map(toJobRow);
}
