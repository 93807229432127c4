/**
 * pass-store: when a cluster was last looked at, and what its SAC may do.
 *
 * Writes   table `pass`, one row a cluster.
 * Keeps    what `rules/standing.ts` says: of two passes the one that counts is kept.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { PassState } from "../../pass-state.ts";
import type { PassReport } from "../../store.ts";
import { heardAtOf } from "../rules/heard.ts";
import { standingOf, type Standing } from "../rules/standing.ts";
import { hot } from "./prepared.ts";
import type { Db, Tx } from "./schema.ts";
import { json, present } from "./storable.ts";

/** What the pass counts for, and the last one that did. */
export async function readStanding(
  tx: Tx,
  report: PassReport,
  now: Instant,
): Promise<{ readonly standing: Standing; readonly last: PassState | undefined }> {
  const { cluster } = report;
  const last = await passOf(tx, cluster);
  const lease = await tx
    .selectFrom("lease")
    .select(["term", "expires_at as expiresAt"])
    .where("cluster", "=", cluster)
    .executeTakeFirst();
  const before = last && { leaseTerm: last.leaseTerm, takenAt: last.state.takenAt };
  return { standing: standingOf(report, before, lease, now), last: last?.state };
}

export async function savePass(
  tx: Tx,
  report: PassReport,
  { setsMode }: Standing,
  changedNodes: number,
  now: Instant,
): Promise<void> {
  const { cluster, leaseTerm, takenAt, mode, slurm } = report;
  const unavailable = report.unavailable ?? null;
  const tellsSlurm = setsMode && slurm !== undefined;
  const sac = report.sac === undefined ? null : json(report.sac);
  const heardAt = heardAtOf(report, now);
  const isWhole = report.complete && unavailable === null;
  const [completeAt, completeHeardAt] = isWhole ? [takenAt, heardAt] : [null, null];
  await sql`
    insert into pass (cluster, lease_term, taken_at, unavailable, complete_at, mode, partitions, nodes_seq,
      slurm_version, slurm_standing, sac, heard_at, complete_heard_at, report_id)
    values (${cluster}, ${leaseTerm}, ${takenAt}, ${unavailable}, ${completeAt}::bigint, ${mode}, ${json(report.partitions)}::jsonb,
      ${changedNodes}, ${slurm?.version ?? null}, ${slurm?.standing ?? null}, ${sac}::jsonb,
      ${heardAt}, ${completeHeardAt}::bigint, ${report.reportId ?? null})
    on conflict (cluster) do update set lease_term = excluded.lease_term, taken_at = excluded.taken_at,
      unavailable = excluded.unavailable, complete_at = coalesce(excluded.complete_at, pass.complete_at),
      heard_at = excluded.heard_at, complete_heard_at = coalesce(excluded.complete_heard_at, pass.complete_heard_at),
      mode = case when ${setsMode} then excluded.mode else pass.mode end,
      partitions = case when ${setsMode} then excluded.partitions else pass.partitions end,
      slurm_version = case when ${tellsSlurm} then excluded.slurm_version else pass.slurm_version end,
      slurm_standing = case when ${tellsSlurm} then excluded.slurm_standing else pass.slurm_standing end,
      sac = case when ${setsMode} then excluded.sac else pass.sac end,
      report_id = case when ${setsMode} then excluded.report_id else pass.report_id end,
      nodes_seq = pass.nodes_seq + excluded.nodes_seq`.execute(tx);
}

export interface StoredPass {
  readonly state: PassState;
  readonly leaseTerm: number;
  readonly nodesSeq: number;
}

export async function passOf(db: Db, cluster: string): Promise<StoredPass | undefined> {
  const row = await db
    .selectFrom("pass")
    .modifyFront(hot)
    .selectAll()
    .where("cluster", "=", cluster)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { taken_at: takenAt, unavailable, complete_at: completeAt, mode, partitions, sac } = row;
  const { heard_at: heardAt, complete_heard_at: completeHeardAt, report_id: reportId } = row;
  const { slurm_version: version, slurm_standing: standing } = row;
  const slurm = version === null || standing === null ? undefined : { version, standing };
  return {
    state: {
      cluster,
      takenAt,
      heardAt,
      ...present({ unavailable, completeAt, completeHeardAt, slurm, sac, reportId }),
      mode,
      partitions,
    },
    leaseTerm: row.lease_term,
    nodesSeq: row.nodes_seq,
  };
}
