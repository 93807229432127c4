/** audit-metrics: how full the queue of audit events is, and what was lost of it, told as metrics. */
import { limits } from "@reprise/core/limits.ts";
import type { Metrics } from "@reprise/runtime/metrics.ts";
import type { AuditQueue } from "./audit-queue.ts";

export function addAuditMetrics(metrics: Metrics, audit: AuditQueue): void {
  const level = (name: string, help: string) => metrics.level({ name, help, labels: {} });
  const queued = level("reprise_audit_queue_events", "Accepted audit events that are not yet stored.");
  const fill = level("reprise_audit_queue_fill_ratio", "How full the queue of audit events is; at 1 none is accepted.");
  const names = ["lost", "turned-away"] as const;
  const dropped = metrics.count({
    name: "reprise_audit_events_dropped_total",
    help: "Audit events of other programs: lost after they were accepted; or turned away, to be sent again.",
    labels: { how: names },
  });
  const before = { lost: 0, "turned-away": 0 };
  metrics.source("audit-queue", [queued, fill], () => {
    const { queued: events, chars, lost, turnedAway } = audit.standing();
    queued.set({}, events);
    fill.set({}, Math.max(events / limits.auditQueueMax, chars / limits.auditQueueCharsMax));
    const now = { lost, "turned-away": turnedAway };
    for (const how of names) dropped.add({ how }, now[how] - before[how]);
    Object.assign(before, now);
  });
}
