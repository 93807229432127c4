/** config-slices: from the configuration in force, what each part is started with. Pure. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SacConfig, WatchdogConfig } from "@reprise/sac/config.ts";
import type { ServerConfig } from "@reprise/server/config.ts";
import type { WatcherConfig } from "@reprise/watcher/config.ts";
import type { Config } from "./config-schema.ts";
import { oidcConfig } from "./config-access.ts";
import { noticeConfig } from "./config-notify.ts";
import { sitePolicy } from "./config-policy.ts";

/** The built-in signatures of this checkout. */
const builtInSignatures = fileURLToPath(new URL("../../../signatures", import.meta.url));

/** As `make dashboard` builds it. */
const pageFolder = fileURLToPath(new URL("../../dashboard/dist", import.meta.url));

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
    insecureAnywhere: v.insecureAnywhere,
    externalEndpoints: v.externalEndpoints,
    urlPrefix: v.urlPrefix,
    internalUrlPrefix: v.internalUrlPrefix,
    ...given("oidc", oidcConfig(v)),
    ...given("tls", serverTls(v)),
    rate: { perSecond: v.rateLimit, burst: 2 * v.rateLimit },
    drainNoticeMs: v.drainNotice,
    ...given("sitePolicy", sitePolicy(v)),
    ...given("notices", noticeConfig(v)),
    retained: {
      detailDays: v.retentionDays,
      attemptDays: v.attemptRetentionDays,
      auditDays: v.auditRetentionDays,
    },
    pageFolder,
    ...given("tracesUrl", v.tracesEndpoint),
    cluster: v.cluster,
  };
}

function serverTls({ tlsCert, tlsKey, internalClientCa }: Config): ServerConfig["tls"] {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return { certFile: tlsCert, keyFile: tlsKey, ...given("clientCaFile", internalClientCa) };
}

function clientTls({ caFile, tlsCert, clientCert, clientKey, tlsServerName }: Config): SacConfig["tls"] {
  const authority = caFile ?? tlsCert;
  if (authority === undefined) return undefined;
  return {
    caFile: authority,
    ...given("certFile", clientCert),
    ...given("keyFile", clientKey),
    ...given("serverName", tlsServerName),
  };
}

const given = <K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: T };

/** How a part reaches the server. `server`: where it listens, when that is known better than the configuration. */
function reach(
  v: Config,
  server = v.server ?? `127.0.0.1:${v.internalGrpcPort}`,
): Pick<SacConfig, "server" | "tokenFile" | "tls"> {
  const reached = { server, ...given("tls", clientTls(v)) };
  return v.insecure ? reached : { ...reached, tokenFile: v.tokenFile ?? join(v.data, "token") };
}

export function watcherConfig(v: Config, server?: string): WatcherConfig {
  return {
    ...reach(v, server),
    watcherId: v.watcherId,
    signatureDirs: [builtInSignatures, ...v.signatureDirs],
    targetsMax: v.targetsMax,
    ...(v.nodeLogs.length === 0 ? {} : { nodeLogs: { patterns: v.nodeLogs, zone: v.nodeLogZone } }),
    slowdownLastsMs: v.slowdownAfter,
    metrics: { host: v.metricsHost, port: v.watcherMetricsPort },
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
    slurmReleases: v.slurmReleases,
    skipRequeueDelay: v.skipRequeueDelay,
    restartsPerMinuteMax: v.restartsPerMinuteMax,
    pollMs: v.poll,
    requireWatchdog: v.requireWatchdog,
    failOpenAfterMs: v.failOpenAfter,
    serverGraceMs: v.serverGrace,
    metrics: { host: v.metricsHost, port: v.sacMetricsPort },
  };
}

export function watchdogConfig(v: Config): WatchdogConfig {
  return {
    stateDir: stateDir(v),
    mode: v.watchdogMode,
    failOpenAfterMs: v.failOpenAfter,
    serverGraceMs: v.serverGrace,
    pollMs: v.watchdogPoll,
    metrics: { host: v.metricsHost, port: v.watchdogMetricsPort },
  };
}
