/**
 * otlp: spans → one OTLP/HTTP call with a body of JSON, by OpenTelemetry's own exporter. The only file that knows OpenTelemetry.
 *
 * Takes   the whole URL, such as `http://127.0.0.1:4318/v1/traces`. Headers, certificates, compression and the limit of a call are those
 *         of the variables `OTEL_EXPORTER_OTLP_…`, which the exporter reads by itself.
 * Fails   never throws: why a call was not taken is its answer.
 * Source  OTLP 1.x, "OTLP/HTTP Response": 429, 502, 503 and 504 may be sent again; any other error is for good.
 */
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { Instant } from "@reprise/core/nouns.ts";
import type { SendSpans, Sent, Span } from "./spans.ts";

/** Loads OpenTelemetry, which takes a quarter of a second: only where traces are told. */
export async function otlpSender(url: string): Promise<SendSpans> {
  const [{ OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const exporter = new OTLPTraceExporter({ url });
  const resources = new Map<string, ReadableSpan["resource"]>();
  const resourceOf = (service: string) => {
    const known = resources.get(service) ?? resourceFromAttributes({ "service.name": service });
    resources.set(service, known);
    return known;
  };
  return (spans) =>
    new Promise((resolve) => {
      const readable = spans.map((span) => toReadable(span, resourceOf(span.service)));
      exporter.export(readable, ({ error, code }) => resolve(code === 0 ? { kind: "taken" } : answerOf(error)));
    });
}

const passing: ReadonlySet<unknown> = new Set([429, 502, 503, 504]);

/** An error without a status of HTTP is one of the connection. */
function answerOf(error: Error | undefined): Sent {
  const { code, message = "nobody says why" } = (error ?? {}) as { code?: unknown; message?: string };
  const why = typeof code === "number" ? `it answers ${code} ${message}` : message;
  return { kind: typeof code === "number" && !passing.has(code) ? "refused" : "away", why };
}

type HrTime = ReadableSpan["startTime"];
/** Seconds and nanoseconds. */
const timeOf = (at: Instant): HrTime => [Math.floor(at / 1000), (at % 1000) * 1_000_000];

/** As its enumerations have them: a span of kind internal; status unset, or an error; sampled. */
const [internal, unset, failed, sampled] = [0, 0, 2, 1];

function toReadable(span: Span, resource: ReadableSpan["resource"]): ReadableSpan {
  const { traceId, spanId, parentId, name, startAt, endAt, attributes, failure } = span;
  const contextOf = (id: string) => ({ traceId, spanId: id, traceFlags: sampled });
  return {
    name,
    kind: internal,
    spanContext: () => contextOf(spanId),
    ...(parentId === undefined ? {} : { parentSpanContext: contextOf(parentId) }),
    startTime: timeOf(startAt),
    endTime: timeOf(endAt),
    duration: timeOf(endAt - startAt),
    status: failure === undefined ? { code: unset } : { code: failed, message: failure },
    attributes: { ...attributes },
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: "reprise" },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}
