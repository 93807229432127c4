/** config-slices: from the configuration in force, what each part is started with. Pure. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SacConfig, WatchdogConfig } from "@reprise/sac/config.ts";
import type { ServerConfig } from "@reprise/server/config.ts";
import type { WatcherConfig } from "@reprise/watcher/config.ts";
import type { Config } from "./config-schema.ts";

/** The built-in signatures of this checkout. */
const builtInSignatures = fileURLToPath(new URL("../../../signatures", import.meta.url));

export function serverConfig(v: Config): ServerConfig {
  return {
    ...(v.databaseUrl === undefined ? {} : { databaseUrl: v.databaseUrl }),
    ...(v.environment === undefined ? {} : { environment: v.environment }),
    dataDir: v.data,
    http: { host: v.host, port: v.httpPort },
    grpc: { host: v.host, port: v.grpcPort },
    internalHttp: { host: v.internalHost, port: v.internalHttpPort },
    internalGrpc: { host: v.internalHost, port: v.internalGrpcPort },
    tokenFile: v.tokenFile ?? join(v.data, "token"),
    insecure: v.insecure,
    cluster: v.cluster,
  };
}

/** How a part reaches the server. `server`: where it listens, when that is known better than the configuration. */
function reach(
  v: Config,
  server = v.server ?? `127.0.0.1:${v.internalGrpcPort}`,
): { server: string; tokenFile?: string } {
  return v.insecure ? { server } : { server, tokenFile: v.tokenFile ?? join(v.data, "token") };
}

export function watcherConfig(v: Config, server?: string): WatcherConfig {
  return {
    ...reach(v, server),
    watcherId: v.watcherId,
    signatureDirs: [builtInSignatures, ...v.signatureDirs],
    targetsMax: v.targetsMax,
  };
}

/** Journal, lock and wake-up socket: SAC and the watchdog share them, on a local disk of one host. */
const stateDir = (v: Config): string => join(v.data, "sac");

export function sacConfig(v: Config, server?: string): SacConfig {
  return {
    ...reach(v, server),
    cluster: v.cluster,
    ...(v.environment === undefined ? {} : { environment: v.environment }),
    stateDir: stateDir(v),
    mode: v.mode,
    partitions: v.partitions,
    skipRequeueDelay: v.skipRequeueDelay,
    restartsPerMinuteMax: v.restartsPerMinuteMax,
    pollMs: v.poll,
    requireWatchdog: v.requireWatchdog,
    failOpenAfterMs: v.failOpenAfter,
  };
}

export function watchdogConfig(v: Config): WatchdogConfig {
  return {
    stateDir: stateDir(v),
    mode: v.watchdogMode,
    failOpenAfterMs: v.failOpenAfter,
    serverGraceMs: v.serverGrace,
    pollMs: v.watchdogPoll,
  };
}
