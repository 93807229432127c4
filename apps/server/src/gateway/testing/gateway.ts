/**
 * gateway: the doors of a server for tests, on free ports of loopback, over a store in memory; without the loops of the server.
 *
 * Takes   what of the configuration matters to the test; services of its own where it asks only who gets in.
 */
import { connect, type Socket } from "node:net";
import { systemClock } from "@reprise/runtime/clock.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { fakeLife, type LoggedLine } from "@reprise/runtime/testing/fake-life.ts";
import { onTestFinished } from "vitest";
import type { ServerConfig } from "../../config.ts";
import { createAuditQueue } from "../../manager/audit/audit-queue.ts";
import { createMemoryStore, type MemoryStore } from "../../manager/store/memory/memory-store.ts";
import type { Role } from "../../manager/token-record.ts";
import { loadCertificates, type Certificates } from "../certificates.ts";
import { planDoors, signInOf } from "../doors.ts";
import type { HttpPatience } from "../http-limits.ts";
import { openListeners } from "../listeners.ts";
import { internalServicesOf, type Service, servicesOf, signInServiceOf } from "../services.ts";
import { createTokenBook, type TokenBook } from "../token-book.ts";

export const ownersToken = "the-owners-token-of-this-test";
const free = { host: "127.0.0.1", port: 0 };

export interface Gateway {
  readonly http: string;
  readonly grpc: string;
  readonly internalHttp: string;
  readonly internalGrpc: string;
  readonly store: MemoryStore;
  readonly book: TokenBook;
  readonly certificates: Certificates | undefined;
  readonly lines: readonly LoggedLine[];
  /** A new token's text. */
  tokenOf(...roles: readonly Role[]): Promise<string>;
  /** As when the server is told to stop. */
  stop(): Promise<void>;
}

export interface GatewayOptions {
  readonly config?: Partial<ServerConfig>;
  /** Instead of the real ones. */
  readonly services?: (real: readonly Service[]) => readonly Service[];
  readonly clock?: Life["clock"];
  readonly patience?: HttpPatience;
}

export async function openGateway({
  config = {},
  services,
  clock = systemClock,
  patience,
}: GatewayOptions = {}): Promise<Gateway> {
  const kept = fakeLife();
  const { log, lines } = kept;
  const store = createMemoryStore();
  const book = createTokenBook(store, clock, log);
  const whole: ServerConfig = {
    dataDir: "",
    http: free,
    grpc: free,
    internalHttp: free,
    internalGrpc: free,
    tokenFile: "",
    insecure: false,
    cluster: "default",
    ...config,
  };
  const manager = { store, clock, site: whole, audit: createAuditQueue(store, { ...kept, clock }) };
  const shown = services ?? ((real) => real);
  const served = {
    services: shown([...servicesOf(manager), signInServiceOf(signInOf(whole, { clock, log }))]),
    internalServices: shown(internalServicesOf(manager, book)),
  };
  let isStopping = false;
  const certificates = whole.tls && loadCertificates(whole.tls, log);
  const life = { clock, log };
  const plans = planDoors(whole, served, book, whole.insecure ? undefined : ownersToken, life);
  const doors = plans.map((plan) => (patience === undefined ? plan : { ...plan, patience }));
  const listeners = await openListeners(doors, certificates, life, () => !isStopping);
  const [external = { http: "", grpc: "" }, internal = external] = listeners.addresses;
  let stopped: Promise<void> | undefined;
  const stop = () => {
    isStopping = true;
    return (stopped ??= listeners.drain());
  };
  onTestFinished(async () => {
    kept.end();
    await stop();
  });
  return {
    ...external,
    internalHttp: internal.http,
    internalGrpc: internal.grpc,
    store,
    book,
    certificates,
    lines,
    stop,
    tokenOf: async (...roles) => (await book.create({ name: roles.join("+"), roles })).text,
  };
}

/** Answers everything with nothing; a stream ends at once. */
export const answersNothing = (real: readonly Service[]): readonly Service[] =>
  real.map(({ desc }) => ({
    desc,
    handlerOf:
      ({ methodKind }) =>
      () =>
        methodKind === "server_streaming" ? (async function* () {})() : Promise.resolve({}),
  }));

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

export async function call(url: string, token: string | undefined, init: RequestInit = {}): Promise<Answer> {
  const headers = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...init.headers };
  const response = await fetch(url, { ...init, headers });
  const text = await response.text();
  const body = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, body, headers: response.headers };
}

/** A bare connection, for what no client would send. `closed` gives everything that came. */
export function rawSocket(url: string): { readonly socket: Socket; readonly closed: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {}); // A connection that is cut is what some of these tests want.
  const closed = new Promise<string>((resolve) =>
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("utf8"))),
  );
  onTestFinished(() => void socket.destroy());
  return { socket, closed };
}
