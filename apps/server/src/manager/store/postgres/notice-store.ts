/**
 * notice-store: the outbox of notices.
 *
 * Writes   tables `notice` (what is told), `notice_sending` (to whom, and what became of it), `notice_condition` (since when).
 * Keeps    one row a key: whoever comes second with it, also from another replica, adds nothing and addresses nobody.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Notice } from "../../notice/notice.ts";
import {
  type Addressee,
  type ClaimedNotice,
  type NoticeClaim,
  noticeKeptMs,
  type Sending,
} from "../../notice-store.ts";
import type { Db, Tx } from "./schema.ts";
import { json, storable } from "./storable.ts";

export async function holdConditions(
  tx: Tx,
  cluster: string,
  conditions: readonly string[],
  now: Instant,
): Promise<ReadonlyMap<string, Instant>> {
  const names = json(conditions);
  await sql`
    delete from notice_condition where cluster = ${cluster}
      and name not in (select jsonb_array_elements_text(${names}::jsonb))`.execute(tx);
  await sql`
    insert into notice_condition (cluster, name, since)
    select ${cluster}, name, ${now}::bigint from jsonb_array_elements_text(${names}::jsonb) as n (name) order by name
    on conflict do nothing`.execute(tx);
  const rows = await tx
    .selectFrom("notice_condition")
    .select(["name", "since"])
    .where("cluster", "=", cluster)
    .execute();
  return new Map(rows.filter(({ name }) => conditions.includes(name)).map(({ name, since }) => [name, since]));
}

export async function recordNotices(
  tx: Tx,
  given: readonly Notice[],
  addressees: readonly Addressee[],
  now: Instant,
): Promise<number> {
  const gone = now - noticeKeptMs;
  await sql`delete from notice_sending where key in (select key from notice where recorded_at < ${gone}::bigint)`.execute(
    tx,
  );
  await tx.deleteFrom("notice").where("recorded_at", "<", gone).execute();
  if (given.length === 0) return 0;
  const { rows } = await sql<{ key: string }>`
    insert into notice (key, kind, recorded_at, says)
    select n ->> 'key', n ->> 'kind', ${now}::bigint, n from jsonb_array_elements(${json(storable(given))}::jsonb) as e (n)
    order by 1 on conflict do nothing returning key`.execute(tx);
  if (rows.length === 0) return 0;
  await sql`
    insert into notice_sending (receiver, key, due_at, tries)
    select a.name, notice.key, ${now}::bigint + a."groupForMs", 0
    from jsonb_to_recordset(${json(addressees)}::jsonb) as a (name text, kinds jsonb, "groupForMs" bigint)
    join notice on a.kinds ? notice.kind
    where notice.key in (select jsonb_array_elements_text(${json(rows.map(({ key }) => key))}::jsonb))`.execute(tx);
  return rows.length;
}

interface Claimed {
  readonly says: Notice;
  readonly recorded_at: Instant;
  readonly tries: number;
}

export async function claimNotices(db: Db | Tx, claim: NoticeClaim, now: Instant): Promise<readonly ClaimedNotice[]> {
  const { receiver, kinds, limit, claimMs } = claim;
  const isOwed = sql`s.receiver = ${receiver} and s.settled is null
    and n.kind in (select jsonb_array_elements_text(${json(kinds)}::jsonb))`;
  const { rows } = await sql<Claimed>`
    with taken as (
      select s.key, s.tries from notice_sending s join notice n using (key)
      where ${isOwed} and (s.due_at <= ${now}::bigint or s.tries = 0)
        and exists (select from notice_sending s join notice n using (key) where ${isOwed} and s.due_at <= ${now}::bigint)
      order by n.recorded_at, n.key collate "C" limit ${limit}
      for update of s skip locked
    ), claimed as (
      update notice_sending s set due_at = ${now}::bigint + ${claimMs}::bigint, tries = s.tries + 1
      from taken where s.receiver = ${receiver} and s.key = taken.key returning s.key, taken.tries
    )
    select notice.says, notice.recorded_at, claimed.tries from claimed join notice using (key)
    order by notice.recorded_at, notice.key collate "C"`.execute(db);
  return rows.map(({ says, recorded_at: recordedAt, tries }) => ({ notice: says, recordedAt, tries }));
}

export async function settleNotices(
  db: Db | Tx,
  receiver: string,
  keys: readonly string[],
  sending: Sending,
): Promise<void> {
  if (keys.length === 0) return;
  const why = storable(sending.kind === "taken" ? null : sending.why);
  await db
    .updateTable("notice_sending")
    .set(sending.kind === "failed" ? { why, due_at: sending.againAt } : { why, settled: sending.kind })
    .where("receiver", "=", receiver)
    .where("key", "in", keys)
    .where("settled", "is", null)
    .execute();
}
