/**
 * metrics-listener: `GET /metrics` of a part that has no port else (SAC, the watchdog, the watcher).
 *
 * Keeps   nobody waits for it: a port that is taken is told once and tried again; the part goes on all the same.
 * Bound   a request of `requestMs`; `connectionsMax` connections; no body is read.
 */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Life } from "./life.ts";
import type { Metrics } from "./metrics.ts";

export interface MetricsAddress {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

export interface MetricsListener {
  /** Resolves when it listens, with the URL. Never, if the port stays taken. */
  readonly url: Promise<string>;
  close(): void;
}

const triesEveryMs = 15_000;
const requestMs = 10_000;
const connectionsMax = 20;

export function serveMetrics(
  metrics: Metrics,
  { host, port }: MetricsAddress,
  { clock, log }: Pick<Life, "clock" | "log">,
): MetricsListener {
  const closing = new AbortController();
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, (request, response) => {
    if (request.method !== "GET" || request.url?.split("?", 1)[0] !== "/metrics")
      return answer(response, 404, "text/plain", "");
    metrics.text().then(
      (text) => answer(response, 200, metrics.contentType, text),
      (error: unknown) => {
        log.error({ error }, "metrics could not be told");
        answer(response, 500, "text/plain", "");
      },
    );
  });
  server.maxConnections = connectionsMax;
  server.unref();

  async function untilListening(): Promise<string> {
    for (let isFirst = true; ; isFirst = false) {
      const error = await listen(server, host, port);
      if (error === undefined) break;
      if (isFirst)
        log.warn({ host, port, why: error.message }, "metrics cannot be asked for here yet; the port is tried again");
      await clock.sleep(triesEveryMs, closing.signal);
      if (closing.signal.aborted) return await new Promise<never>(() => {});
    }
    const bound = (server.address() as AddressInfo).port;
    const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound}/metrics`;
    log.info({ url }, "metrics can be asked for");
    return url;
  }

  return {
    url: untilListening(),
    close() {
      closing.abort("closed");
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    server.once("error", resolve);
    server.listen(port, host, () => {
      server.off("error", resolve);
      resolve(undefined);
    });
  });
}

function answer(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
  });
  response.end(text);
}
