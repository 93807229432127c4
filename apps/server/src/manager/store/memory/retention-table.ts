/** retention-table: what is too old goes, in batches. See `postgres/retention-store.ts`. */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Expired, Expiry } from "../../retention/retention.ts";
import { isFinal } from "../attempt/job-row.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import { auditKey, byTime } from "./audit-table.ts";
import { siblingsOf } from "./job-table.ts";
import type { Tables } from "./tables.ts";

export function expire(t: Tables, { detailsBefore, auditBefore, nodeLinesBefore = 0, limit }: Expiry): Expired {
  for (const [name, lines] of t.nodeLines) {
    for (const [key, { recordedAt }] of lines) if (recordedAt < nodeLinesBefore) lines.delete(key);
    if (lines.size === 0) t.nodeLines.delete(name);
  }
  const attempts = detailsBefore === undefined ? 0 : expireDetails(t, detailsBefore, limit);
  const auditEvents = auditBefore === undefined ? 0 : expireAudit(t, auditBefore, limit);
  return { attempts, auditEvents };
}

function expireDetails(t: Tables, before: Instant, limit: number): number {
  const batch = [...t.jobs.values()]
    .filter(
      (row) => !t.detailExpired.has(row.heimdallJobId) && siblingsOf(t, row).every((kin) => isAtRest(t, kin, before)),
    )
    .sort((a, b) => a.lastSeenAt - b.lastSeenAt || (a.heimdallJobId < b.heimdallJobId ? -1 : 1))
    .slice(0, limit);
  for (const { heimdallJobId } of batch) {
    t.detailExpired.add(heimdallJobId);
    forget(t, heimdallJobId);
  }
  return batch.length;
}

function isAtRest(t: Tables, { heimdallJobId, status, isListed, lastSeenAt }: NumberedRow, before: Instant): boolean {
  if (!isFinal(status) || isListed || lastSeenAt >= before) return false;
  return !t.undecided.has(heimdallJobId) && t.heads.get(heimdallJobId)?.status.disposition !== "PENDING";
}

function forget(t: Tables, uuid: string): void {
  for (const table of [t.signals, t.positions, t.targets, t.decisions, t.advised, t.statuses]) table.delete(uuid);
  for (const key of t.stepKeys.get(uuid) ?? []) t.steps.delete(key);
  t.stepKeys.delete(uuid);
  for (const [id, sequence] of t.sequences) if (sequence.heimdallJobId === uuid) t.sequences.delete(id);
}

function expireAudit(t: Tables, before: Instant, limit: number): number {
  const batch = t.audit
    .filter((event) => event.producedAtUs < before * 1000)
    .sort(byTime)
    .slice(0, limit);
  const gone = new Set(batch);
  const kept = t.audit.filter((event) => !gone.has(event));
  for (const event of batch) t.auditKeys.delete(auditKey(event));
  t.audit.splice(0, t.audit.length, ...kept);
  return batch.length;
}
