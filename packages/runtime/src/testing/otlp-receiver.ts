/**
 * otlp-receiver: what a collector does with a call of OTLP/HTTP in JSON, on a free port of loopback: it answers, and keeps the spans.
 *
 * Source  OTLP 1.x: `ExportTraceServiceRequest` in its JSON form (IDs in hexadecimal digits, times as texts of nanoseconds).
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly arrayValue?: { readonly values: readonly Value[] };
}
type Attributes = readonly { readonly key: string; readonly value: Value }[];

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Attributes;
  readonly status: { readonly code: number; readonly message?: string };
}

export interface ReceivedSpan extends Omit<OtlpSpan, "attributes"> {
  readonly service: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface OtlpReceiver {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** In the order in which they came. */
  readonly spans: readonly ReceivedSpan[];
  /** What it answers from now on; 200 at first. What it does not answer with 200 it does not keep, and is not asked again for a minute. */
  status: number;
  /** Path and content type of each call. */
  readonly calls: readonly string[];
  close(): Promise<void>;
}

export async function otlpReceiver(port = 0): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const calls: string[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      calls.push(`${request.method} ${request.url} ${request.headers["content-type"]}`);
      if (receiver.status === 200) spans.push(...spansOf(Buffer.concat(chunks).toString()));
      response.writeHead(receiver.status, { "content-type": "application/json", "retry-after": "60" }).end("{}");
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    status: 200,
    calls,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

function spansOf(body: string): readonly ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: OtlpSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        service: String(named(resource.attributes)["service.name"]),
        attributes: named(span.attributes),
      })),
    ),
  );
}

const named = (attributes: Attributes) => Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));

const plain = ({ stringValue, intValue, arrayValue }: Value): unknown =>
  stringValue ?? intValue ?? arrayValue?.values.map(plain);
