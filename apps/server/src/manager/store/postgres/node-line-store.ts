/**
 * node-line-store: lines of nodes' own logs, and how far the files of each node were read.
 *
 * In the loop   lines of a node → **store** → targets
 * Writes        table `node_line`; the positions in `node_log`; `target_lease` of the attempts that a new line concerns, in the same
 *               transaction and after the line: whoever claims the target then sees the line.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { NodeLine } from "@reprise/protocol/wire/node-line.ts";
import type { NodeLinesReport } from "../../node-log-store.ts";
import type { Change } from "../../store.ts";
import { hasLogs } from "../attempt/job-row.ts";
import { mayConcern } from "../rules/node-window.ts";
import type { Written } from "./changes.ts";
import { residentsOf } from "./read-node-lines.ts";
import type { Tx } from "./schema.ts";
import { json, storable } from "./storable.ts";
import { stirTargets } from "./target-store.ts";

export async function reportNodeLines(
  tx: Tx,
  given: NodeLinesReport,
  now: Instant,
): Promise<Written<{ readonly recorded: number; readonly repeated: number }>> {
  const { reporter, cluster, lines, positions } = storable(given);
  const fresh = await insertLines(tx, { reporter, cluster, lines }, now);
  await savePositions(tx, { reporter, cluster, positions }, now);
  const residents = await residentsOf(tx, cluster, fresh, now);
  const concerned = residents.filter((row) => hasLogs(row) && fresh.some((line) => mayConcern(row, line)));
  const uuids = concerned.map(({ heimdallJobId }) => heimdallJobId);
  await stirTargets(tx, uuids);
  const changes = uuids.map((heimdallJobId): Change => ({ kind: "job", heimdallJobId }));
  return { answer: { recorded: fresh.length, repeated: lines.length - fresh.length }, changes };
}

async function insertLines(
  tx: Tx,
  { reporter, cluster, lines }: Omit<NodeLinesReport, "positions">,
  now: Instant,
): Promise<NodeLine[]> {
  if (lines.length === 0) return [];
  const { rows } = await sql<{ node: string; key: string }>`
    insert into node_line (cluster, node, key, at, line, path, "offset", reporter, recorded_at)
    select ${cluster}, node, key, at, line, path, "offset", ${reporter}, ${now}
    from jsonb_to_recordset(${json(lines)}::jsonb) as l (node text, key text, at bigint, line text, path text, "offset" bigint)
    on conflict (cluster, node, md5(key)) do nothing
    returning node, key`.execute(tx);
  const fresh = new Set(rows.map(({ node, key }) => `${node} ${key}`));
  return lines.filter(({ node, key }) => fresh.delete(`${node} ${key}`));
}

/** A watcher that has lost a node's log moves no position of it. */
async function savePositions(
  tx: Tx,
  { reporter, cluster, positions }: Omit<NodeLinesReport, "lines">,
  now: Instant,
): Promise<void> {
  const files = Map.groupBy(positions, ({ node }) => node);
  if (files.size === 0) return;
  const rows = [...files].map(([node, of]) => ({ node, positions: of }));
  await sql`
    update node_log set positions = p.positions
    from jsonb_to_recordset(${json(rows)}::jsonb) as p (node text, positions jsonb)
    where node_log.cluster = ${cluster} and node_log.node = p.node
      and (node_log.watcher is null or node_log.watcher = ${reporter} or node_log.expires_at <= ${now})`.execute(tx);
}
