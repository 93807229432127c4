/**
 * position-store: how far each log file of each attempt was read.
 *
 * Writes   table `log_position`, in the transaction of the signals that were read up to there.
 */
import { sql } from "kysely";
import type { LogPosition } from "../../store.ts";
import type { Db, Tx } from "./schema.ts";
import { json, present } from "./storable.ts";

export async function savePositions(tx: Tx, positions: readonly LogPosition[]): Promise<void> {
  // Of a path that is named twice the last one counts; one statement may not touch a row twice.
  const latest = new Map(positions.map((position) => [`${position.heimdallJobId} ${position.path}`, position]));
  if (latest.size === 0) return;
  const rows = [...latest.values()].map(({ heimdallJobId, readAt, ...rest }) => ({
    uuid: heimdallJobId,
    read_at: readAt,
    ...rest,
  }));
  await sql`
    insert into log_position (heimdall_job_id, path, device, inode, "offset", start, read_at, ended, unreadable,
      memory)
    select uuid, path, device, inode, "offset", start, read_at, ended, unreadable, memory
    from jsonb_to_recordset(${json(rows)}::jsonb) as p (uuid text, path text, device text, inode text, "offset" bigint,
      start bigint, read_at bigint, ended boolean, unreadable text, memory text)
    order by uuid, path
    on conflict (heimdall_job_id, md5(path)) do update set device = excluded.device, inode = excluded.inode,
      "offset" = excluded."offset", start = excluded.start, read_at = excluded.read_at, ended = excluded.ended,
      unreadable = excluded.unreadable, memory = coalesce(excluded.memory, log_position.memory)`.execute(tx);
}

export async function positionsOf(
  db: Db,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, readonly LogPosition[]>> {
  const positions = new Map<string, LogPosition[]>();
  if (uuids.length === 0) return positions;
  const rows = await db
    .selectFrom("log_position")
    .selectAll()
    .where("heimdall_job_id", "in", [...uuids])
    .orderBy("heimdall_job_id")
    .orderBy("path")
    .execute();
  for (const row of rows) {
    const position: LogPosition = {
      heimdallJobId: row.heimdall_job_id,
      path: row.path,
      device: row.device,
      inode: row.inode,
      offset: row.offset,
      start: row.start,
      ended: row.ended,
      ...present({ readAt: row.read_at, unreadable: row.unreadable, memory: row.memory }),
    };
    positions.set(row.heimdall_job_id, [...(positions.get(row.heimdall_job_id) ?? []), position]);
  }
  return positions;
}
