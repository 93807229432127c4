/**
 * http: the HTTP/JSON side of the gateway, on bare node:http.
 *
 * In the loop   request → find the RPC → who calls → read → **handler** → JSON
 * Gives         JSON; server-sent events for a streaming RPC; `/healthz` and `/readyz` without a token.
 * Fails         `{"code", "message", "details": []}` with the usual status; causes go to the log, never to the caller.
 * Bound         `limits.bodyBytesMax` of body (`passBytesMax` on the internal listener), `limits.requestDeadlineMs`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { toHttpError, toWireError } from "@reprise/protocol/refusal.ts";
import { createTranscoder, ignoredFieldsHeader, writeEvent, writeJson } from "@reprise/protocol/transcode.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Service } from "./services.ts";
import type { Authenticate } from "./token.ts";

export interface HttpDeps {
  readonly services: readonly Service[];
  readonly authenticate: Authenticate;
  readonly isReady: () => boolean;
  readonly bodyBytesMax: number;
  readonly log: Log;
  /** Aborted when the server stops: streams end. */
  readonly signal: AbortSignal;
}

export function createHttpServer(deps: HttpDeps): Server {
  const transcoder = createTranscoder(deps.services.map((s) => s.desc));
  const handlers = new Map(deps.services.flatMap((s) => s.desc.methods.map((m) => [m, s.handlerOf(m)] as const)));
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => refuse(response, error, deps.log));
  });
  server.requestTimeout = limits.requestDeadlineMs;
  return server;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = request.url ?? "/";
    if (probe(target, response, deps.isReady)) return;
    const found = transcoder.find(request.method ?? "GET", target);
    if (found.kind === "no-such-path") throw new Refusal("not-found", `no such path: ${target.split("?", 1)[0]}`);
    if (found.kind === "refused") throw found.refusal;
    if (found.kind === "other-methods") {
      response.setHeader("allow", found.allowed.join(", "));
      const body = JSON.stringify({
        code: 12,
        message: `${request.method} is not allowed here; expected ${found.allowed.join(", ")}`,
        details: [],
      });
      return send(response, 405, body);
    }
    const name = deps.authenticate(request.headers.authorization);
    const read = found.read(await bodyOf(request, deps.bodyBytesMax));
    if (read.kind === "refused") throw read.refusal;
    const { method } = found.route;
    const handler = handlers.get(method);
    if (handler === undefined) throw new Error(`${method.name} has no handler`);
    if (read.ignoredFields.length > 0)
      response.setHeader("reprise-ignored-fields", ignoredFieldsHeader(read.ignoredFields));

    const hangUp = new AbortController();
    response.on("close", () => hangUp.abort());
    const answered = handler(read.request, { name, signal: AbortSignal.any([hangUp.signal, deps.signal]) });
    if (method.methodKind === "server_streaming") return stream(response, method, answered as AsyncIterable<object>);
    send(response, 200, writeJson(method.output, message(method, await (answered as Promise<object>))));
  }
}

/** A handler may answer with an init object. */
const message = (method: DescMethod, answer: object): Message =>
  create(method.output, answer as Record<string, unknown>);

/** Server-sent events: one message an event. What is written while the reader is slow waits in the socket. */
async function stream(response: ServerResponse, method: DescMethod, messages: AsyncIterable<object>): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.flushHeaders();
  for await (const part of messages) {
    if (!response.write(writeEvent(method.output, message(method, part)))) {
      await new Promise<void>((resolve) => response.once("drain", resolve).once("close", resolve));
    }
  }
  response.end();
}

function probe(target: string, response: ServerResponse, isReady: () => boolean): boolean {
  if (target === "/healthz") send(response, 200, '{"status":"ok"}');
  else if (target === "/readyz") send(response, isReady() ? 200 : 503, JSON.stringify({ ready: isReady() }));
  else return false;
  return true;
}

async function bodyOf(request: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Refusal("invalid", `the body is larger than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function refuse(response: ServerResponse, error: unknown, log: Log): void {
  const wire = toWireError(error);
  if (wire.cause !== undefined) log.error({ error: wire.cause }, "a request failed");
  if (response.headersSent) return void response.end();
  const { status, body } = toHttpError(wire);
  if (status === 401) response.setHeader("www-authenticate", "Bearer");
  send(response, status, body);
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
  response.end(body);
}
