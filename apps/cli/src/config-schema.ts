/**
 * config-schema: every setting of Reprise, in one place: what it means, its type, its default, who reads it.
 *
 * Takes   `httpPort` here is `http_port` in the YAML file, `REPRISE_HTTP_PORT` among the variables, `--http-port` as a flag.
 * Gives   the settings, and the checks between them; `config-slices.ts` cuts out what each part is started with.
 * Keeps   Nothing acts unless it is told to: `mode` and `watchdog_mode` are separate and default to `observe`.
 */
import { join } from "node:path";
import { limits } from "@reprise/core/limits.ts";
import { fileKey, problem, type Resolved, type Settings, type Values } from "@reprise/runtime/config.ts";
import { logLevels } from "@reprise/runtime/log.ts";
import * as type from "@reprise/runtime/setting.ts";
import { type AccessKey, accessSettings, checkAccess, isLoopback } from "./config-access.ts";
import { checkNotify, notifySettings } from "./config-notify.ts";
import { checkPolicy, policySettings, retentionSettings } from "./config-policy.ts";
import { metricsKeysOf, metricsSettings, tracesUrlOf } from "./config-metrics.ts";
import { watcherSettings } from "./config-watcher.ts";

const port = type.wholeNumber(0, 65_535);
const mode = type.choice("observe", "act");

export const settings = {
  data: {
    doc: "Folder of the embedded database, the token and SAC's journal.",
    type: type.path(),
    default: ".reprise",
  },
  databaseUrl: {
    doc: "PostgreSQL 15 or later. Not set: the embedded database in the data folder.",
    type: type.optional(type.databaseUrl()),
    default: undefined,
    variables: ["DATABASE_URL"],
    isSecret: true,
  },
  environment: {
    doc: "Name of this environment; a job that asks for another one is only observed.",
    type: type.optional(type.text()),
    default: undefined,
  },
  cluster: {
    doc: "Name of the cluster. Give one only where several share a server.",
    type: type.text(),
    default: "default",
  },
  scheduler: {
    doc: "What `up` connects to: this machine's Slurm, a simulated one, or none.",
    type: type.choice("slurm", "simulated", "none"),
    default: "slurm",
  },

  host: {
    doc: "Address that the HTTP and gRPC listeners for people and programs bind to.",
    type: type.text(),
    default: "127.0.0.1",
  },
  httpPort: { doc: "HTTP for people and programs; 0 picks a free port.", type: port, default: 8080 },
  grpcPort: { doc: "gRPC for people and programs; 0 picks a free port.", type: port, default: 9090 },
  internalHost: {
    doc: "Address that the listeners for SAC and the watcher bind to.",
    type: type.text(),
    default: "127.0.0.1",
  },
  internalHttpPort: { doc: "HTTP for SAC and the watcher; 0 picks a free port.", type: port, default: 8081 },
  internalGrpcPort: { doc: "gRPC for SAC and the watcher; 0 picks a free port.", type: port, default: 9091 },
  tokenFile: {
    doc: "File with the bearer token, mode 0600, made when missing. Not set: `token` in the data folder.",
    type: type.optional(type.path()),
    default: undefined,
  },
  insecure: {
    doc: "Ask nobody for a token. Only on loopback addresses.",
    type: type.yesNo(),
    default: false,
    variables: ["HEIMDALL_INSECURE"],
  },
  ...accessSettings,
  server: {
    doc: "The server's internal gRPC address, for a watcher or SAC that runs alone. Not set: this machine's internal_grpc_port.",
    type: type.optional(type.address()),
    default: undefined,
  },

  mode: {
    doc: "`observe`: SAC changes nothing in Slurm. `act`: it carries out Advice in the listed partitions.",
    type: mode,
    default: "observe",
  },
  partitions: {
    doc: "Partitions in which SAC may act; a job is touched only if all of its partitions are here.",
    type: type.names("partition names such as gpu,long", /^[\w.-]{1,255}$/),
    default: [],
  },
  slurmReleases: {
    doc: "Releases of Slurm that recovery was not tried on, and on which SAC may act all the same.",
    type: type.names("Slurm releases such as 26.11", /^\d\d\.\d\d$/),
    default: [],
  },
  skipRequeueDelay: {
    doc: "Start a restarted job at once where that is safe, instead of after Slurm's restart delay.",
    type: type.yesNo(),
    default: true,
  },
  restartsPerMinuteMax: {
    doc: "Restarts that SAC begins in a minute at most; a larger wave waits.",
    type: type.wholeNumber(1, 100_000),
    default: limits.restartsPerMinuteMax,
  },
  poll: { doc: "How often SAC looks at Slurm.", type: type.duration(100, 60_000), default: 2_000 },
  requireWatchdog: {
    doc: "SAC acts only while a watchdog in act mode lives beside it.",
    type: type.yesNo(),
    default: true,
  },

  watchdogMode: {
    doc: "`act`: the watchdog releases jobs that recovery left held. `observe`: it only says so.",
    type: mode,
    default: "observe",
  },
  watchdogPoll: { doc: "How often the watchdog looks at Slurm.", type: type.duration(100, 60_000), default: 2_000 },
  failOpenAfter: {
    doc: "How long a hold of recovery may outlive a living recovery.",
    type: type.duration(1_000, 24 * 3_600_000),
    default: limits.failOpenAfterMs,
  },
  serverGrace: {
    doc: "How long SAC goes on, and counts as living, while its server cannot be reached.",
    type: type.duration(1_000, 24 * 3_600_000),
    default: limits.serverGraceMs,
  },

  ...policySettings,
  ...retentionSettings,
  ...notifySettings,

  ...watcherSettings,
  ...metricsSettings,

  logLevel: { doc: "The least that is logged.", type: type.choice(...logLevels), default: "info" },
} as const satisfies Settings;

export type Config = Values<typeof settings>;
export type ConfigKey = keyof typeof settings;
export const configKeys = Object.keys(settings) as ConfigKey[];
export type ResolvedConfig = Resolved<typeof settings>;
export type Part = "server" | "watcher" | "sac" | "watchdog";

/** SAC and its watchdog have them alike. */
const patience = ["failOpenAfter", "serverGrace"] as const;
export const listeners = [
  "host",
  "httpPort",
  "grpcPort",
  "internalHost",
  "internalHttpPort",
  "internalGrpcPort",
] as const;
const access = ["data", "tokenFile", "insecure", "logLevel"] as const;
const client = ["server", "internalGrpcPort", "caFile", "clientCert", "clientKey", "tlsServerName"] as const;
/** What those who call the server are not asked. */
const ofServer = (Object.keys(accessSettings) as AccessKey[]).filter(
  (key) => !(client as readonly ConfigKey[]).includes(key),
);

/** Which settings a command takes as flags; all of them for `up` and `config`. */
export const keysOf: Readonly<Record<Part, readonly ConfigKey[]>> = {
  server: [
    ...access,
    ...listeners,
    ...ofServer,
    "databaseUrl",
    "environment",
    "cluster",
    "policyDefaults",
    "policyCaps",
    ...(Object.keys(retentionSettings) as (keyof typeof retentionSettings)[]),
    ...metricsKeysOf.server,
    "notify",
    "notifyAllow",
  ],
  watcher: [
    ...access,
    ...client,
    ...(Object.keys(watcherSettings) as (keyof typeof watcherSettings)[]),
    ...metricsKeysOf.watcher,
  ],
  sac: [
    ...access,
    ...client,
    "cluster",
    "environment",
    "mode",
    "partitions",
    "slurmReleases",
    "skipRequeueDelay",
    "restartsPerMinuteMax",
    "poll",
    "requireWatchdog",
    ...patience,
    ...metricsKeysOf.sac,
  ],
  watchdog: ["data", "logLevel", "watchdogMode", "watchdogPoll", ...patience, ...metricsKeysOf.watchdog],
};

/** Defaults that follow from other values, filled in so that `reprise config` shows what is in force. */
export function completeConfig(given: Config): Config {
  return {
    ...given,
    tokenFile: given.tokenFile ?? join(given.data, "token"),
    tracesEndpoint: tracesUrlOf(given),
    caFile: given.caFile ?? given.tlsCert,
    server: given.server ?? `127.0.0.1:${given.internalGrpcPort}`,
  };
}

/** What single values cannot show. @returns One sentence a problem; empty: it may start. */
export function checkConfig({ values, origins }: ResolvedConfig): readonly string[] {
  const problems: string[] = [];
  const say = (key: ConfigKey, expected: string) =>
    problems.push(problem(key, settings[key], values[key], origins[key], expected));
  if (values.mode === "act" && values.partitions.length === 0) {
    say("mode", "`partitions` beside it (--partitions a,b): SAC acts only in partitions that are listed");
  }
  if (values.mode === "act" && values.requireWatchdog && values.watchdogMode !== "act") {
    say(
      "watchdogMode",
      "act, because mode is act: SAC acts only beside a watchdog that may release what it holds (--act sets both)",
    );
  }
  checkAccess(values, say);
  problems.push(...checkPolicy(values), ...checkNotify(values));
  for (const key of ["host", "internalHost"] as const) {
    const isOpen = values.insecure && !values.insecureAnywhere && (key !== "host" || values.externalEndpoints);
    if (isOpen && !isLoopback(values[key])) {
      say(key, "a loopback address such as 127.0.0.1, because insecure is true: nobody would be asked for a token");
    }
  }
  const ports = ["httpPort", "grpcPort", "internalHttpPort", "internalGrpcPort"] as const;
  for (const [i, key] of ports.entries()) {
    const twin = ports.slice(0, i).find((other) => values[other] === values[key] && values[key] !== 0);
    if (twin !== undefined) say(key, `a port of its own: ${fileKey(twin)} has the same`);
  }
  return problems;
}
