/** start-traces: the loop that tells recoveries as traces, its queue, and what is counted of it. Only where a receiver is configured. */
import type { Life } from "@reprise/runtime/life.ts";
import { startLoop } from "@reprise/runtime/loop.ts";
import type { Metrics } from "@reprise/runtime/metrics.ts";
import { type SendSpans, type SpanQueue, startSpanQueue } from "@reprise/runtime/spans.ts";
import type { Manager } from "../context.ts";
import { traceOnce } from "./trace-once.ts";

/** Nobody waits for a trace. */
const everyMs = 5_000;

/** @returns Resolves when the life has ended, and what could be sent is sent. */
export function startTraces(
  manager: Manager,
  send: SendSpans,
  metrics: Metrics,
  life: Life,
): { readonly ended: Promise<void> } {
  const spans = startSpanQueue(send, life);
  addSpanMetrics(metrics, spans);
  const loop = startLoop(life, "traces", everyMs, async () => ((await traceOnce(manager, spans)) ? 0 : undefined));
  return { ended: loop.ended.then(() => spans.end()) };
}

function addSpanMetrics(metrics: Metrics, spans: Pick<SpanQueue, "standing">): void {
  const outcomes = ["sent", "dropped"] as const;
  const total = metrics.count({
    name: "reprise_trace_spans_total",
    help: "Spans of traces: taken by their receiver, or dropped because it was away for long or refused them.",
    labels: { outcome: outcomes },
  });
  const queued = metrics.level({
    name: "reprise_trace_queue_spans",
    help: "Spans that wait for the receiver of traces.",
    labels: {},
  });
  const before = { sent: 0, dropped: 0 };
  metrics.source("spans", [queued], () => {
    const standing = spans.standing();
    queued.set({}, standing.queued);
    for (const outcome of outcomes) total.add({ outcome }, standing[outcome] - before[outcome]);
    Object.assign(before, { sent: standing.sent, dropped: standing.dropped });
  });
}
