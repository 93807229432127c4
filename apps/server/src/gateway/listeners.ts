/**
 * listeners: the doors of the server: HTTP and gRPC for everybody, and the internal pair for SAC, the watcher and the owner.
 *
 * Takes   what is served and who may call, by pair.
 * Gives   where they listen, and how they end: `drain`.
 * Fails   `precondition` names the listener and its address; those that listen already are closed.
 * Keeps   a call that has begun when the server stops is answered, if it needs no longer than `limits.drainGraceMs`.
 */
import type { Server as HttpServer } from "node:http";
import { type Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { type Clock, within } from "@reprise/runtime/clock.ts";
import type { Life } from "@reprise/runtime/life.ts";
import type { Metrics } from "@reprise/runtime/metrics.ts";
import type { ListenAddress } from "../config.ts";
import type { Admit } from "./admission.ts";
import { type Calls, createCalls } from "./calls.ts";
import type { Certificates, Pair } from "./certificates.ts";
import { createGrpcServer } from "./grpc.ts";
import { reloadedCredentials } from "./grpc-credentials.ts";
import type { HttpPatience } from "./http-limits.ts";
import { createHttpServer } from "./http.ts";
import type { Service } from "./services.ts";

export interface PairPlan {
  readonly pair: Pair;
  readonly http: ListenAddress;
  readonly grpc: ListenAddress;
  readonly prefix: string;
  readonly services: readonly Service[];
  readonly admit: Admit;
  /** Of one body of HTTP, or one message of gRPC. */
  readonly bytesMax: number;
  /** With slow callers of HTTP. Default `usualPatience`. */
  readonly patience?: HttpPatience;
  /** Of the dashboard. Absent: this pair serves none. */
  readonly pageFolder?: string;
  /** What `/metrics` answers. Absent: this pair has none. */
  readonly metrics?: Pick<Metrics, "text" | "contentType">;
}

export interface Listeners {
  /** In the order of the plans. */
  readonly addresses: readonly { readonly http: string; readonly grpc: string }[];
  /** Ends all streams, lets the other calls finish, closes everything. */
  drain(): Promise<void>;
}

export async function openListeners(
  plans: readonly PairPlan[],
  certificates: Certificates | undefined,
  life: Pick<Life, "clock" | "log">,
  isReady: () => boolean,
): Promise<Listeners> {
  const calls = createCalls(life.clock);
  const made = plans.map((plan) => {
    const deps = { ...plan, calls, isReady, ...life, ...(certificates === undefined ? {} : { certificates }) };
    return { plan, http: createHttpServer(deps), grpc: createGrpcServer(deps) };
  });
  try {
    const addresses = await Promise.all(
      made.map(async ({ plan, http, grpc }) => ({
        http: `${certificates === undefined ? "http" : "https"}://${await listenHttp(http, plan)}${plan.prefix}`,
        grpc: await listenGrpc(grpc, plan, certificates),
      })),
    );
    return { addresses, drain: () => drain(made, calls, life.clock) };
  } catch (error) {
    await drain(made, calls, life.clock);
    throw error;
  }
}

/** What was answered last may still be on its way out. */
const lastBytesMs = 500;

interface Made {
  readonly http: HttpServer;
  readonly grpc: GrpcServer;
}

async function drain(made: readonly Made[], calls: Calls, clock: Clock): Promise<void> {
  for (const { http } of made) http.close(); // Nobody new; who is being answered is answered.
  const closed = made.map(({ grpc }) => new Promise<void>((resolve) => grpc.tryShutdown(() => resolve())));
  await calls.drain(limits.drainGraceMs);
  const allClosed = Promise.all(closed);
  await within(clock, lastBytesMs, allClosed);
  for (const { http, grpc } of made) {
    http.closeAllConnections();
    grpc.forceShutdown();
  }
  await allClosed;
}

function cannotUse(what: string, { host, port }: ListenAddress, error: Error): Refusal {
  return new Refusal("precondition", `the ${what} listener cannot use ${host}:${port}: ${error.message}`);
}

const nameOf = (pair: Pair, transport: string) => (pair === "internal" ? `internal ${transport}` : transport);
/** An IPv6 address stands in brackets before a port. */
const shown = (host: string) => (host.includes(":") ? `[${host}]` : host);

function listenHttp(server: HttpServer, { pair, http }: PairPlan): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(cannotUse(nameOf(pair, "HTTP"), http, error)));
    server.listen(http.port, http.host, () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : http.port;
      resolve(`${shown(http.host)}:${port}`);
    });
  });
}

function listenGrpc(
  server: GrpcServer,
  { pair, grpc }: PairPlan,
  certificates: Certificates | undefined,
): Promise<string> {
  const credentials =
    certificates === undefined ? ServerCredentials.createInsecure() : reloadedCredentials(certificates, pair);
  return new Promise((resolve, reject) => {
    server.bindAsync(`${shown(grpc.host)}:${grpc.port}`, credentials, (error, bound) => {
      if (error === null) resolve(`${shown(grpc.host)}:${bound}`);
      else reject(cannotUse(nameOf(pair, "gRPC"), grpc, error));
    });
  });
}
