/** audit-table: who did what and why, for ever. See `postgres/audit-store.ts`. */
import type { Instant } from "@reprise/core/nouns.ts";
import type { AuditRow, Tables } from "./tables.ts";

export function recordAudit(
  t: Tables,
  attempt: Pick<AuditRow, "heimdallJobId" | "cluster" | "jobId" | "attemptIndex">,
  event: Pick<AuditRow, "type" | "payload">,
  producedAt: Instant,
): void {
  const { heimdallJobId, cluster, jobId, attemptIndex } = attempt;
  t.audit.push({ heimdallJobId, cluster, jobId, attemptIndex, ...event, producedAt });
}
