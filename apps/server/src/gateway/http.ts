/**
 * http: the HTTP/JSON side of the gateway, on bare node:http.
 *
 * In the loop   request → find the RPC → who calls → read → **handler** → JSON
 * Gives         JSON; server-sent events for a streaming RPC; `/healthz`, `/readyz`, `/openapi.json`, the dashboard and, inside, `/metrics` without a token.
 * Fails         `{"code", "message", "details": []}` with the usual status; causes go to the log, never to the caller.
 * Keeps         who may not call is refused before a byte of the body is read.
 * Bound         `bytesMax` of body, `limits.requestDeadlineMs`; the rest stands in `http-limits.ts`.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { grpcCode, toHttpError, toWireError } from "@reprise/protocol/refusal.ts";
import {
  createTranscoder,
  type Found,
  ignoredFieldsHeader,
  writeEvent,
  writeJson,
} from "@reprise/protocol/transcode.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Metrics } from "@reprise/runtime/metrics.ts";
import type { Caller } from "../manager/context.ts";
import type { Admit } from "./admission.ts";
import type { Calls } from "./calls.ts";
import type { Certificates, Pair } from "./certificates.ts";
import { bodyOf, bound, type HttpPatience, limitsOf, packed, usualPatience } from "./http-limits.ts";
import { legacyKeys } from "./legacy-keys.ts";
import { openApiText } from "./openapi.ts";
import { createPage } from "./page.ts";
import { TooOften } from "./rate.ts";
import type { Service } from "./services.ts";

export interface HttpDeps {
  readonly services: readonly Service[];
  readonly admit: Admit;
  readonly calls: Calls;
  readonly isReady: () => boolean;
  /** Of one body. */
  readonly bytesMax: number;
  /** Before every path; the probes answer with and without it. */
  readonly prefix: string;
  readonly pair: Pair;
  /** Absent: cleartext. */
  readonly certificates?: Certificates;
  readonly patience?: HttpPatience;
  /** The dashboard's folder. Absent: none is served. */
  readonly pageFolder?: string;
  /** Absent: no `/metrics`. */
  readonly metrics?: Pick<Metrics, "text" | "contentType">;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Log;
}

type Ready = Extract<Found, { readonly kind: "found" }>;

export function createHttpServer(deps: HttpDeps): Server {
  const transcoder = createTranscoder(deps.services.map((s) => s.desc));
  const handlers = new Map(deps.services.flatMap((s) => s.desc.methods.map((m) => [m, s.handlerOf(m)] as const)));
  const openApi = openApiText(transcoder.routes, deps.prefix);
  const page = createPage(deps.prefix, deps.pageFolder);
  const server = createListener(deps, (request, response) => {
    if (!deps.isReady()) response.setHeader("connection", "close"); // The next request finds another server.
    answer(request, response).catch((error: unknown) => refuse(request, response, error, deps.log));
  });
  bound(server);
  return server;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = request.url ?? "/";
    if (probe(given, response, deps.isReady)) return;
    const target = behind(deps.prefix, given);
    if (probe(target, response, deps.isReady)) return;
    const [path = ""] = target.split("?", 1);
    if (path === "/metrics" && request.method === "GET" && deps.metrics !== undefined)
      return send(response, 200, await deps.metrics.text(), deps.metrics.contentType);
    if (path === "/openapi.json" && request.method === "GET") return send(response, 200, openApi);
    const switchedOff = legacyKeys(request.method ?? "GET", path);
    if (switchedOff !== undefined) return send(response, switchedOff.status, switchedOff.body);
    const file = page(request.method ?? "GET", path, request.headers);
    if (file !== undefined) {
      response.writeHead(file.status, file.headers);
      return void response.end(request.method === "HEAD" ? undefined : file.body);
    }
    const found = transcoder.find(request.method ?? "GET", target);
    if (found.kind === "no-such-path") throw new Refusal("not-found", `no such path: ${path}`);
    if (found.kind === "refused") throw found.refusal;
    if (found.kind === "other-methods") {
      response.setHeader("allow", found.allowed.join(", "));
      const message = `${request.method} is not allowed here; expected ${found.allowed.join(", ")}`;
      return send(response, 405, toHttpError({ code: grpcCode.unimplemented, message }).body);
    }
    const wrongly = packed(request);
    if (wrongly !== undefined)
      return send(response, 415, toHttpError({ code: grpcCode.invalidArgument, message: wrongly }).body);
    const { method } = found.route;
    const { name, rights } = await deps.admit(
      `${method.parent.typeName}/${method.name}`,
      request.headers.authorization,
    );
    if (response.closed) return; // The caller has gone meanwhile.
    const cut = Promise.withResolvers<never>();
    const isStream = method.methodKind === "server_streaming"; // It ends by itself when its signal is aborted.
    const call = isStream ? deps.calls.begin("stream", name, () => {}) : deps.calls.begin("unary", name, cut.reject);
    response.on("close", () => call.end());
    await Promise.race([serve(found, request, response, { name, rights, signal: call.signal }), cut.promise]);
  }

  async function serve(
    { route: { method }, read: readBody }: Ready,
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
  ): Promise<void> {
    const read = readBody(await textOf(request, deps.bytesMax));
    if (read.kind === "refused") throw read.refusal;
    const handler = handlers.get(method);
    if (handler === undefined) throw new Error(`${method.name} has no handler`);
    if (read.ignoredFields.length > 0)
      response.setHeader("reprise-ignored-fields", ignoredFieldsHeader(read.ignoredFields));
    if (method.methodKind === "server_streaming") goOnAfter(read.request, request.headers["last-event-id"]);
    const answered = handler(read.request, caller);
    if (method.methodKind === "server_streaming")
      return stream(response, method, answered as AsyncIterable<object>, deps.clock, caller.signal);
    send(response, 200, writeJson(method.output, message(method, await (answered as Promise<object>))));
  }
}

function createListener({ certificates, pair, patience = usualPatience }: HttpDeps, listener: RequestListener): Server {
  const options = limitsOf(patience);
  if (certificates === undefined) return createServer(options, listener);
  const asks = certificates.asksCallers(pair);
  const caller = { requestCert: asks, rejectUnauthorized: asks, handshakeTimeout: patience.headersMs };
  const server = createTlsServer({ ...options, ...caller, ...certificates.contextOf(pair) }, listener);
  certificates.onChange(() => server.setSecureContext(certificates.contextOf(pair)));
  return server;
}

/** What of a target stands behind the prefix; nothing that is served, where there is no prefix before it. */
function behind(prefix: string, target: string): string {
  if (prefix === "") return target;
  const rest = target.slice(prefix.length);
  if (!target.startsWith(prefix) || !/^[/?]|^$/.test(rest))
    throw new Refusal("not-found", `no such path: ${target.split("?", 1)[0]}; all paths here begin with ${prefix}`);
  return rest;
}

/** A handler may answer with an init object. */
const message = (method: DescMethod, answer: object): Message =>
  create(method.output, answer as Record<string, unknown>);

/** What a browser says by itself when it comes back to a stream whose events have IDs. */
function goOnAfter(request: Message, lastEventId: string | string[] | undefined): void {
  const named = request as { lastEventId?: string };
  if (named.lastEventId === "" && typeof lastEventId === "string") named.lastEventId = lastEventId;
}

/** Server-sent events: one message an event, and a sign of life. What is written while the reader is slow waits in the socket. */
async function stream(
  response: ServerResponse,
  method: DescMethod,
  messages: AsyncIterable<object>,
  clock: Pick<Clock, "sleep">,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no", // A proxy that gathers would keep changes back.
  });
  response.flushHeaders();
  void beat(response, clock, signal);
  for await (const part of messages) {
    if (!response.write(writeEvent(method.output, message(method, part)))) {
      await new Promise<void>((resolve) => response.once("drain", resolve).once("close", resolve));
    }
  }
  response.end();
}

/** A connection may die without a word: who reads knows it by the silence. */
async function beat(response: ServerResponse, clock: Pick<Clock, "sleep">, signal: AbortSignal): Promise<void> {
  for (;;) {
    await clock.sleep(limits.streamBeatMs, signal);
    if (signal.aborted || response.writableEnded) return;
    if (!response.writableNeedDrain) response.write(":\n\n");
  }
}

function probe(target: string, response: ServerResponse, isReady: () => boolean): boolean {
  if (target === "/healthz") send(response, 200, '{"status":"ok"}');
  else if (target === "/readyz") send(response, isReady() ? 200 : 503, JSON.stringify({ ready: isReady() }));
  else return false;
  return true;
}

async function textOf(request: IncomingMessage, bytesMax: number): Promise<string> {
  const body = await bodyOf(request, bytesMax);
  try {
    return utf8.decode(body);
  } catch {
    throw new Refusal("invalid", "body: not UTF-8");
  }
}
const utf8 = new TextDecoder("utf-8", { fatal: true });

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown, log: Log): void {
  const wire = toWireError(error);
  if (wire.cause !== undefined) log.error({ error: wire.cause }, "a request failed");
  if (response.headersSent) return void response.end();
  const { status, body } = toHttpError(wire);
  if (status === 401) response.setHeader("www-authenticate", "Bearer");
  if (status === 429)
    response.setHeader("retry-after", Math.ceil((error instanceof TooOften ? error.retryAfterMs : 1_000) / 1_000));
  // Nobody reads on only to throw it away.
  if (Number(request.headers["content-length"] ?? 0) > limits.discardedBytesMax)
    response.setHeader("connection", "close");
  send(response, status, body);
}

const json = "application/json; charset=utf-8";

function send(response: ServerResponse, status: number, body: string, type = json): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body), // Else it would go out in chunks.
    "cache-control": "no-store",
  });
  response.end(body);
}
