/** notice-table: the outbox of notices. See `postgres/notice-store.ts`. */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Notice } from "../../notice/notice.ts";
import {
  type Addressee,
  type ClaimedNotice,
  type NoticeClaim,
  noticeKeptMs,
  type Sending,
} from "../../notice-store.ts";
import { storable } from "../postgres/storable.ts";
import { at, type Tables } from "./tables.ts";

export interface NoticeRow {
  readonly notice: Notice;
  readonly recordedAt: Instant;
  /** Target → what is still to be sent there. */
  readonly owed: ReadonlyMap<string, { readonly dueAt: Instant; readonly tries: number }>;
}

export function holdConditions(
  t: Tables,
  cluster: string,
  conditions: readonly string[],
  now: Instant,
): ReadonlyMap<string, Instant> {
  const held = at(t.conditions, cluster, () => new Map<string, Instant>());
  const since = new Map(conditions.map((condition) => [condition, held.get(condition) ?? now]));
  t.conditions.set(cluster, since);
  return new Map(since);
}

export function recordNotices(
  t: Tables,
  given: readonly Notice[],
  addressees: readonly Addressee[],
  now: Instant,
): number {
  for (const [key, { recordedAt }] of t.notices) if (recordedAt < now - noticeKeptMs) t.notices.delete(key);
  const before = t.notices.size;
  for (const notice of storable(given)) {
    if (t.notices.has(notice.key)) continue;
    const owed = addressees
      .filter(({ kinds }) => kinds.includes(notice.kind))
      .map(({ name, groupForMs }) => [name, { dueAt: now + groupForMs, tries: 0 }] as const);
    t.notices.set(notice.key, { notice, recordedAt: now, owed: new Map(owed) });
  }
  return t.notices.size - before;
}

export function claimNotices(t: Tables, claim: NoticeClaim, now: Instant): readonly ClaimedNotice[] {
  const { receiver, kinds, limit, claimMs } = claim;
  const owed = [...t.notices.values()].flatMap((row) => {
    const debt = row.owed.get(receiver);
    return debt !== undefined && kinds.includes(row.notice.kind) ? [{ row, ...debt }] : [];
  });
  if (!owed.some(({ dueAt }) => dueAt <= now)) return [];
  const taken = owed
    .filter(({ dueAt, tries }) => dueAt <= now || tries === 0)
    .sort((a, b) => a.row.recordedAt - b.row.recordedAt || (a.row.notice.key < b.row.notice.key ? -1 : 1))
    .slice(0, limit);
  return taken.map(({ row, tries }) => {
    const next = { dueAt: now + claimMs, tries: tries + 1 };
    t.notices.set(row.notice.key, { ...row, owed: new Map([...row.owed, [receiver, next]]) });
    return { notice: row.notice, recordedAt: row.recordedAt, tries };
  });
}

export function settleNotices(t: Tables, receiver: string, keys: readonly string[], sending: Sending): void {
  for (const key of keys) {
    const row = t.notices.get(key);
    const debt = row?.owed.get(receiver);
    if (row === undefined || debt === undefined) continue;
    const owed = new Map(row.owed);
    if (sending.kind === "failed") owed.set(receiver, { ...debt, dueAt: sending.againAt });
    else owed.delete(receiver);
    t.notices.set(key, { ...row, owed });
  }
}
