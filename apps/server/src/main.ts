/**
 * main: the server as a program: its store, its four listeners, its decide loop, its end.
 *
 * Fails   before it is ready: a folder in use, a database that does not answer, a port that is taken: each named. After that
 *         every error is one request's or one pass's error.
 * Keeps   `ready` is given only when every listener listens.
 */
import type { Server as HttpServer } from "node:http";
import { type Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { startLoop } from "@reprise/runtime/loop.ts";
import { ensureToken } from "@reprise/runtime/token-file.ts";
import type { ListenAddress, ServerConfig, ServerReady } from "./config.ts";
import { createGrpcServer } from "./gateway/grpc.ts";
import { createHttpServer } from "./gateway/http.ts";
import { servicesOf } from "./gateway/services.ts";
import { bearer, everyone } from "./gateway/token.ts";
import { decideOnce } from "./manager/loops/decide-once.ts";
import { openStore } from "./manager/store/open-store.ts";

/** The slow poll is the truth; a change only wakes it. */
const decideEveryMs = 250;

export async function startServer(
  config: ServerConfig,
  life: Life,
): Promise<{ readonly ready: ServerReady; readonly ended: Promise<void> }> {
  const { clock, log, signal } = life;
  refuseOpenDoors(config);
  const store = await openStore(config, life);
  const manager = { store, clock, site: config };
  const services = servicesOf(manager);
  const authenticate = config.insecure ? everyone : bearer(ensureToken(config.tokenFile));
  const deps = { services, authenticate, log, signal, isReady: () => !signal.aborted };

  const https = [
    createHttpServer({ ...deps, bodyBytesMax: limits.bodyBytesMax }),
    createHttpServer({ ...deps, bodyBytesMax: limits.passBytesMax }),
  ] as const;
  const grpcs = [createGrpcServer(deps), createGrpcServer(deps)] as const;
  const [http, internalHttp, grpc, internalGrpc] = await Promise.all([
    listenHttp(https[0], config.http, "http"),
    listenHttp(https[1], config.internalHttp, "internal HTTP"),
    listenGrpc(grpcs[0], config.grpc, "gRPC"),
    listenGrpc(grpcs[1], config.internalGrpc, "internal gRPC"),
  ]);

  const loop = startLoop(life, "decide", decideEveryMs, async () => ((await decideOnce(manager, log)) ? 0 : undefined));
  const stopWaking = store.onChange(() => loop.wake());
  const ended = loop.ended.then(async () => {
    stopWaking();
    for (const server of https) {
      server.close();
      server.closeAllConnections();
    }
    for (const server of grpcs) server.forceShutdown();
    await store.close();
  });
  const ready = {
    http: `http://${http}`,
    grpc,
    internalHttp: `http://${internalHttp}`,
    internalGrpc,
    tokenFile: config.insecure ? "" : config.tokenFile,
  };
  log.info(ready, "the server listens");
  return { ready, ended };
}

/** Without a token only this machine may knock. */
function refuseOpenDoors(config: ServerConfig): void {
  if (!config.insecure) return;
  for (const [key, { host }] of Object.entries({
    http: config.http,
    grpc: config.grpc,
    internalHttp: config.internalHttp,
    internalGrpc: config.internalGrpc,
  })) {
    if (!/^(127\.|localhost$|::1$)/.test(host))
      throw new Refusal(
        "precondition",
        `${key}.host: ${host} with insecure: true; expected a loopback address, or a token`,
      );
  }
}

function listenHttp(server: HttpServer, { host, port }: ListenAddress, what: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(new Refusal("precondition", `the ${what} listener cannot use ${host}:${port}: ${error.message}`)),
    );
    server.listen(port, host, () => {
      const address = server.address();
      resolve(`${host}:${typeof address === "object" && address !== null ? address.port : port}`);
    });
  });
}

function listenGrpc(server: GrpcServer, { host, port }: ListenAddress, what: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error !== null)
        reject(new Refusal("precondition", `the ${what} listener cannot use ${host}:${port}: ${error.message}`));
      else resolve(`${host}:${bound}`);
    });
  });
}
