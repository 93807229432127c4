/**
 * facts-store: which attempts have facts that nobody has decided about yet.
 *
 * Writes   table `facts`: one row an attempt; `seq` is raised, in the same transaction, by everything that a decision may use.
 * Keeps    the fence of `recordDecisions`: whoever changes a fact of an attempt holds its row, and so does who decides about it.
 *          Rows are locked in the order of their UUIDs, before any other row of these attempts.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Decided } from "../../decisions.ts";
import { ahead } from "./ahead.ts";
import { hot } from "./prepared.ts";
import type { Db, Tx } from "./schema.ts";

export async function lockFacts(tx: Tx, uuids: readonly string[]): Promise<void> {
  if (uuids.length === 0) return;
  await sql`${ahead}${hot} select from facts where heimdall_job_id = any(${[...uuids]}::text[]) order by heimdall_job_id for update`.execute(
    tx,
  );
}

/** An attempt without a row gets one: everything about it is undecided. */
export async function raiseFacts(tx: Tx, uuids: readonly string[], now: Instant): Promise<void> {
  if (uuids.length === 0) return;
  await sql`${ahead}${hot}
    insert into facts (heimdall_job_id, seq, decided_seq, changed_at, claimed_until)
    select uuid, 1, 0, ${now}, 0 from unnest(${[...uuids].sort()}::text[]) as uuid
    on conflict (heimdall_job_id) do update set seq = facts.seq + 1, changed_at = excluded.changed_at`.execute(tx);
}

/** As `raiseFacts`, but what is said about an attempt that nobody published stays without a row: there is nothing to decide. */
export async function raiseKnownFacts(tx: Tx, uuids: readonly string[], now: Instant): Promise<void> {
  if (uuids.length === 0) return;
  await sql`${ahead}
    update facts set seq = seq + 1, changed_at = ${now} where heimdall_job_id = any(${[...uuids]}::text[])`.execute(tx);
}

export async function claimUndecided(db: Db, limit: number, claimMs: number, now: Instant): Promise<readonly string[]> {
  const { rows } = await sql<{ uuid: string }>`
    update facts set claimed_until = ${now + claimMs}
    where heimdall_job_id = any(array(
      select heimdall_job_id from facts
      where (seq > decided_seq or reconsider_at <= ${now}) and claimed_until <= ${now}
      order by changed_at limit ${limit} for update skip locked
    ))
    returning heimdall_job_id as uuid`.execute(db);
  return rows.map(({ uuid }) => uuid);
}

/** The fence: locks these rows. @returns By UUID, the number of the facts as they are now. */
export async function holdFacts(tx: Tx, uuids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ uuid: string; seq: number }>`${hot}
    select heimdall_job_id as uuid, seq from facts where heimdall_job_id = any(${[...uuids]}::text[])
    order by heimdall_job_id for update`.execute(tx);
  return new Map(rows.map(({ uuid, seq }) => [uuid, seq]));
}

export async function markDecided(tx: Tx, decided: readonly Decided[]): Promise<void> {
  if (decided.length === 0) return;
  await sql`${ahead}${hot}
    update facts set decided_seq = d.seq, reconsider_at = d.reconsider_at, claimed_until = 0
    from unnest(${decided.map((one) => one.heimdallJobId)}::text[], ${decided.map((one) => one.factsSeq)}::bigint[],
      ${decided.map((one) => one.decision.reconsiderAt ?? null)}::bigint[]) as d (uuid, seq, reconsider_at)
    where heimdall_job_id = d.uuid`.execute(tx);
}

/** More is known of them than the last decision knew, or it was made while Slurm could not be read. */
export async function undecidedOf(db: Db, uuids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ uuid: string }>`
    select heimdall_job_id as uuid from facts left join decision using (heimdall_job_id)
    where heimdall_job_id = any(${[...uuids]}::text[])
      and (seq > decided_seq or decision.decision->>'because' = 'scheduler-unseen')`.execute(db);
  return new Set(rows.map(({ uuid }) => uuid));
}

/** The claims are given back: what was decided came too late. */
export async function releaseClaims(tx: Tx, uuids: readonly string[]): Promise<void> {
  if (uuids.length === 0) return;
  await sql`${ahead} update facts set claimed_until = 0 where heimdall_job_id = any(${[...uuids]}::text[])`.execute(tx);
}
