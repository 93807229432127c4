/**
 * target-store: which attempts' logs are to be read, and by which watcher.
 *
 * Writes   table `target_lease`: a row from the first sight of a covered attempt's run until its logs were read to their end; and
 *          again for each line of its nodes that comes later, or waited for a look at Slurm.
 * Keeps    at most one watcher holds a target at a time; one that falls silent loses it after its lease.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { ClaimedTargets, LogPosition, SignalReport, Target, TargetClaim } from "../../store.ts";
import { isFinal } from "../attempt/job-row.ts";
import { positionsBefore } from "../attempt/positions-before.ts";
import { selectJobs, toAttempt, toJobRow } from "./select-jobs.ts";
import { positionsOf } from "./position-store.ts";
import { targetVersion, type Versioned } from "../rules/target-version.ts";
import { ahead } from "./ahead.ts";
import { nodeLinesOf } from "./read-node-lines.ts";
import type { Db, Tx } from "./schema.ts";
import { json } from "./storable.ts";

export async function openTargets(tx: Tx, uuids: readonly string[]): Promise<void> {
  if (uuids.length === 0) return;
  await sql`${ahead}
    insert into target_lease (heimdall_job_id, watcher, expires_at)
    select uuid, null, 0 from unnest(${[...uuids].sort()}::text[]) as uuid
    on conflict (heimdall_job_id) do nothing`.execute(tx);
}

/** There are more lines of their nodes that concern them: there is something to read, also where all was read to its end. */
export async function stirTargets(tx: Tx, uuids: readonly string[]): Promise<void> {
  if (uuids.length === 0) return;
  await sql`
    insert into target_lease (heimdall_job_id, watcher, expires_at, node_lines_number)
    select uuid, null, 0, 1 from unnest(${[...uuids].sort()}::text[]) as uuid
    on conflict (heimdall_job_id) do update
      set node_lines_number = coalesce(target_lease.node_lines_number, 0) + 1`.execute(tx);
}

/**
 * Their logs were read to the end.
 *
 * @param lines Up to which number lines of their nodes were read. Where more have come it stays a target.
 */
export async function closeTargets(
  tx: Tx,
  uuids: readonly string[],
  lines: NonNullable<SignalReport["nodeLinesRead"]>,
): Promise<void> {
  if (uuids.length === 0) return;
  await sql`
    delete from target_lease where heimdall_job_id = any(${[...uuids]}::text[])
      and coalesce(node_lines_number, 0) <= coalesce((
        select max(number) from jsonb_to_recordset(${json(lines)}::jsonb) as l ("heimdallJobId" text, number bigint)
        where "heimdallJobId" = target_lease.heimdall_job_id), 0)`.execute(tx);
}

/** Targets that another watcher holds now. */
export async function heldByOthers(
  tx: Tx,
  watcher: string,
  uuids: readonly string[],
  now: Instant,
): Promise<ReadonlySet<string>> {
  if (uuids.length === 0) return new Set();
  const rows = await tx
    .selectFrom("target_lease")
    .select("heimdall_job_id")
    .where("heimdall_job_id", "in", [...uuids])
    .where("watcher", "is not", null)
    .where("watcher", "!=", watcher)
    .where("expires_at", ">", now)
    .execute();
  return new Set(rows.map((row) => row.heimdall_job_id));
}

export async function claimTargets(db: Db, ask: TargetClaim, leaseMs: number, now: Instant): Promise<ClaimedTargets> {
  return await db.transaction().execute(async (tx) => {
    const until = now + leaseMs;
    const renew = ask.renew.filter((uuid) => !ask.release.includes(uuid)).slice(0, ask.limit);
    await sql`
      update target_lease set watcher = null, expires_at = 0
      where watcher = ${ask.watcher} and heimdall_job_id = any(${[...ask.release]}::text[])`.execute(tx);
    const renewed = await sql<Held>`
      update target_lease set expires_at = ${until}
      where watcher = ${ask.watcher} and heimdall_job_id = any(${renew}::text[])
      returning heimdall_job_id as uuid, node_lines_number as lines`.execute(tx);
    // The array is made once; a sub-select might be run again, and lock more than the limit.
    // What this watcher holds without renewing it, it has forgotten: it was restarted under the same name.
    const claimed = await sql<Held>`
      update target_lease set watcher = ${ask.watcher}, expires_at = ${until}
      where heimdall_job_id = any(array(
        select heimdall_job_id from target_lease
        where (expires_at <= ${now} or watcher = ${ask.watcher}) and not heimdall_job_id = any(${renew}::text[])
          and not heimdall_job_id = any(${[...ask.release]}::text[])
        order by expires_at limit ${Math.max(0, ask.limit - renewed.rows.length)} for update skip locked
      ))
      returning heimdall_job_id as uuid, node_lines_number as lines`.execute(tx);
    // Before the targets themselves: what changes in between is sent now, and once more.
    const versions = await versionsOf(tx, [...renewed.rows, ...claimed.rows]);
    const isKnown = ({ uuid }: Held) => versions.has(uuid) && ask.known?.get(uuid) === versions.get(uuid);
    const unchanged = renewed.rows.filter(isKnown).map(({ uuid }) => uuid);
    const toTell = [...renewed.rows.filter((row) => !isKnown(row)), ...claimed.rows];
    return { targets: await targetsOf(tx, toTell, versions, now), unchanged: unchanged.toSorted() };
  });
}

interface Held {
  readonly uuid: string;
  readonly lines: number | null;
}

/** Cheap where there is nothing to tell: a claim asks for thousands of them each second. */
async function versionsOf(tx: Tx, held: readonly Held[]): Promise<ReadonlyMap<string, string>> {
  if (held.length === 0) return new Map();
  const { rows } = await sql<{ uuid: string } & Versioned>`
    select job.heimdall_job_id as uuid, coalesce(facts.seq, 0) as seq, count(earlier.heimdall_job_id)::bigint as earlier,
      coalesce(sum(of_earlier.seq), 0)::bigint as "earlierSeq"
    from job left join facts on facts.heimdall_job_id = job.heimdall_job_id
      left join job earlier on job.job_id <> '' and earlier.job_id = job.job_id and earlier.cluster = job.cluster
        and earlier.incarnation = job.incarnation and earlier.attempt_index < job.attempt_index
      left join facts of_earlier on of_earlier.heimdall_job_id = earlier.heimdall_job_id
    where job.heimdall_job_id = any(${held.map(({ uuid }) => uuid)}::text[])
    group by job.heimdall_job_id, facts.seq`.execute(tx);
  const linesOf = new Map(held.map(({ uuid, lines }) => [uuid, lines ?? 0]));
  return new Map(rows.map((row) => [row.uuid, targetVersion(row, linesOf.get(row.uuid) ?? 0)]));
}

/** @param held With how many lines of its nodes each has: what is read after it has them all. */
async function targetsOf(
  db: Db,
  held: readonly Held[],
  versions: ReadonlyMap<string, string>,
  now: Instant,
): Promise<Target[]> {
  const linesNumber = new Map(held.map(({ uuid, lines }) => [uuid, lines ?? 0]));
  const uuids = [...linesNumber.keys()];
  if (uuids.length === 0) return [];
  const rows = await selectJobs(db)
    .where("job.heimdall_job_id", "in", [...uuids])
    .orderBy("job.created_seq")
    .execute();
  const { rows: before } = await sql<{ uuid: string; earlier: string; is_next: boolean }>`
    select job.heimdall_job_id as uuid, earlier.heimdall_job_id as earlier,
      earlier.attempt_index = job.attempt_index - 1 as is_next
    from job join job earlier on earlier.job_id = job.job_id and earlier.cluster = job.cluster
      and earlier.incarnation = job.incarnation and earlier.attempt_index < job.attempt_index
    where job.heimdall_job_id = any(${[...uuids]}::text[]) and job.job_id <> ''
    order by earlier.attempt_index`.execute(db);
  const positions = await positionsOf(db, [...uuids, ...before.map(({ earlier }) => earlier)]);
  const at = (uuid: string): readonly LogPosition[] => positions.get(uuid) ?? [];
  const lines = await nodeLinesOf(db, rows.map(toJobRow), now);
  return rows.map((row) => ({
    attempt: toAttempt(row),
    ended: isFinal(row.status),
    positions: at(row.heimdall_job_id),
    earlier: before
      .filter(({ uuid }) => uuid === row.heimdall_job_id)
      .flatMap(({ earlier, is_next }) => positionsBefore(at(earlier), is_next)),
    nodeLines: lines.get(row.heimdall_job_id) ?? [],
    nodeLinesNumber: linesNumber.get(row.heimdall_job_id) ?? 0,
    version: versions.get(row.heimdall_job_id) ?? "",
  }));
}
