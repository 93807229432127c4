/** retention-table: what is too old goes, in batches. See `postgres/retention-store.ts` and `postgres/expire-attempts.ts`. */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Expired, Expiry } from "../../retention/retention.ts";
import { isFinal } from "../attempt/job-row.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import { auditKey, byTime } from "./audit-table.ts";
import { loadGraph } from "./graph-table.ts";
import { putPlace, siblingsOf } from "./job-table.ts";
import type { Tables } from "./tables.ts";

export function expire(t: Tables, expiry: Expiry): Expired {
  const { detailsBefore, attemptsBefore, auditBefore, nodeLinesBefore = 0, limit } = expiry;
  for (const [name, lines] of t.nodeLines) {
    for (const [key, { recordedAt }] of lines) if (recordedAt < nodeLinesBefore) lines.delete(key);
    if (lines.size === 0) t.nodeLines.delete(name);
  }
  const attempts = attemptsBefore === undefined ? 0 : expireAttempts(t, attemptsBefore, limit);
  const details = detailsBefore === undefined ? 0 : expireDetails(t, detailsBefore, limit);
  const auditEvents = auditBefore === undefined ? 0 : expireAudit(t, auditBefore, limit);
  return { details, attempts, auditEvents };
}

function expireAttempts(t: Tables, before: Instant, limit: number): number {
  const asked = new Set(loadGraph(t).map(({ heimdallJobId }) => heimdallJobId));
  const isNeeded = ({ heimdallJobId: uuid }: NumberedRow): boolean =>
    uuid === t.created.at(-1) ||
    asked.has(uuid) ||
    [...(t.evidence.get(uuid)?.values() ?? [])].some(({ expiresAt }) => expiresAt >= before);
  const oldest = [...t.jobs.values()]
    .filter((row) => siblingsOf(t, row).every((kin) => isAtRest(t, kin, before) && !isNeeded(kin)))
    .sort(byAge)
    .slice(0, limit);
  const gone = new Map(oldest.flatMap((row) => siblingsOf(t, row)).map((row) => [row.heimdallJobId, row]));
  for (const row of gone.values()) remove(t, row);
  for (const { workflowId } of gone.values()) removeEmptyWorkflow(t, workflowId);
  return gone.size;
}

function remove(t: Tables, row: NumberedRow): void {
  const { heimdallJobId: uuid, jobId, createdSeq } = row;
  forget(t, uuid);
  for (const table of [t.generations, t.heads, t.progress, t.facts, t.evidence, t.overrides, t.jobs])
    table.delete(uuid);
  for (const set of [t.detailExpired, t.handedOver, t.undecided]) set.delete(uuid);
  t.families.get(jobId)?.delete(uuid);
  const nameless = `gone-${createdSeq}`;
  t.created[createdSeq - 1] = nameless;
  if (!t.moved.delete(uuid)) {
    const place = { heimdallJobId: nameless, createdSeq, isLate: false };
    putPlace(t, { ...place, list: "workflow", value: row.workflowId });
    if (jobId !== "") putPlace(t, { ...place, list: "job", value: jobId });
    return;
  }
  t.moved.add(nameless);
  for (const places of t.places.values()) {
    const place = places.get(uuid);
    if (place !== undefined) places.set(nameless, place);
    places.delete(uuid);
  }
}

function removeEmptyWorkflow(t: Tables, workflowId: string): void {
  if (workflowId === t.createdWorkflows.at(-1)) return;
  for (const row of t.jobs.values()) if (row.workflowId === workflowId) return;
  t.workflows.delete(workflowId);
  const place = t.createdWorkflows.indexOf(workflowId);
  if (place >= 0) t.createdWorkflows[place] = "";
}

const byAge = (a: NumberedRow, b: NumberedRow): number =>
  a.lastSeenAt - b.lastSeenAt || (a.heimdallJobId < b.heimdallJobId ? -1 : 1);

function expireDetails(t: Tables, before: Instant, limit: number): number {
  const batch = [...t.jobs.values()]
    .filter(
      (row) => !t.detailExpired.has(row.heimdallJobId) && siblingsOf(t, row).every((kin) => isAtRest(t, kin, before)),
    )
    .sort(byAge)
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
  for (const table of [t.signals, t.positions, t.courses, t.targets, t.decisions, t.advised, t.statuses])
    table.delete(uuid);
  for (const key of t.stepKeys.get(uuid) ?? []) t.steps.delete(key);
  t.stepKeys.delete(uuid);
  for (const [id, sequence] of t.sequences)
    if (sequence.heimdallJobId === uuid) for (const table of [t.sequences, t.traces]) table.delete(id);
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
