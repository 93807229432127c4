/** audit-table: who did what and why. See `postgres/audit-store.ts`. */
import { asAuditEvent, type OwnEvent } from "../../audit/own-events.ts";
import type { AuditEvent, AuditFilter, AuditPosition, AuditWalk, StoredAuditEvent } from "../../audit/audit-trail.ts";
import type { Page } from "../../store.ts";
import { storable } from "../postgres/storable.ts";
import { page } from "./page.ts";
import { requireWhole, type Tables } from "./tables.ts";

export function recordOwnEvents(t: Tables, events: readonly OwnEvent[]): void {
  recordAuditEvents(t, events.map(asAuditEvent));
}

export const auditKey = ({ producer, idempotencyKey }: AuditEvent): string =>
  JSON.stringify([producer, idempotencyKey]);

export function recordAuditEvents(
  t: Tables,
  given: readonly AuditEvent[],
): { readonly recorded: number; readonly repeated: number } {
  const events = storable(given);
  for (const event of events) requireWhole("audit", event, ["attemptIndex", "producedAtUs"]);
  let recorded = 0;
  for (const event of events) {
    const { idempotencyKey, heimdallJobId } = event;
    if (idempotencyKey !== undefined) {
      const key = auditKey(event);
      if (t.auditKeys.has(key)) continue;
      t.auditKeys.add(key);
    }
    const names = heimdallJobId === undefined ? {} : { heimdallJobId: heimdallJobId.toLowerCase() };
    t.audit.push({ ...event, ...names, id: (t.audit.at(-1)?.id ?? 0) + 1 });
    recorded++;
  }
  return { recorded, repeated: events.length - recorded };
}

export function listAuditEvents(
  t: Tables,
  filter: AuditFilter,
  { order, after, limit }: AuditWalk,
): Page<StoredAuditEvent> {
  const { fromUs = -Infinity, toUs = Infinity, heimdallJobId, ...equal } = filter;
  const given = Object.entries({ ...equal, heimdallJobId: heimdallJobId?.toLowerCase() });
  const names = given.filter(([, value]) => value !== undefined);
  const isAsked = (event: StoredAuditEvent): boolean =>
    event.producedAtUs >= fromUs &&
    event.producedAtUs <= toUs &&
    names.every(([name, value]) => event[name as keyof typeof equal] === value);
  const direction = order === "asc" ? 1 : -1;
  const found = t.audit.filter(isAsked).sort((a, b) => direction * byTime(a, b));
  const rest = after === undefined ? found : found.filter((event) => direction * byTime(event, after) > 0);
  return page(rest, { offset: 0, limit });
}

export const byTime = (a: AuditPosition, b: AuditPosition): number => a.producedAtUs - b.producedAtUs || a.id - b.id;
