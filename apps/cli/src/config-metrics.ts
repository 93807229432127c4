/**
 * config-metrics: where the parts without a port of their own serve `/metrics`, and where the server tells recoveries as traces. A part of
 * `config-schema.ts`.
 *
 * Source  OpenTelemetry, "OTLP Exporter Configuration": the path is added to the endpoint of all signals, and never to that of traces.
 */
import type { Settings, Values } from "@reprise/runtime/config.ts";
import * as type from "@reprise/runtime/setting.ts";

const port = type.wholeNumber(0, 65_535);

export const metricsSettings = {
  metricsHost: {
    doc: "Address at which the watcher, SAC and the watchdog serve /metrics, to everybody who reaches it.",
    type: type.text(),
    default: "127.0.0.1",
  },
  watcherMetricsPort: { doc: "The watcher's /metrics; 0 picks a free port.", type: port, default: 8082 },
  sacMetricsPort: { doc: "SAC's /metrics; 0 picks a free port.", type: port, default: 8083 },
  watchdogMetricsPort: { doc: "The watchdog's /metrics; 0 picks a free port.", type: port, default: 8084 },
  otlpEndpoint: {
    doc: "OpenTelemetry receiver of HTTP, such as http://127.0.0.1:4318; recoveries are told there as traces (docs/monitoring.md).",
    type: type.optional(type.webAddress()),
    default: undefined,
    variables: ["OTEL_EXPORTER_OTLP_ENDPOINT"],
  },
  tracesEndpoint: {
    doc: "Its URL for traces, whole. Not set: otlp_endpoint with /v1/traces.",
    type: type.optional(type.webAddress()),
    default: undefined,
    variables: ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"],
  },
} as const satisfies Settings;

type MetricsKey = keyof typeof metricsSettings;

/** Which of them each part is told. */
export const metricsKeysOf: Readonly<Record<"server" | "watcher" | "sac" | "watchdog", readonly MetricsKey[]>> = {
  server: ["otlpEndpoint", "tracesEndpoint"],
  watcher: ["metricsHost", "watcherMetricsPort"],
  sac: ["metricsHost", "sacMetricsPort"],
  watchdog: ["metricsHost", "watchdogMetricsPort"],
};

/** Undefined: recoveries are not told as traces. */
export function tracesUrlOf({ tracesEndpoint, otlpEndpoint }: Values<typeof metricsSettings>): string | undefined {
  if (tracesEndpoint !== undefined || otlpEndpoint === undefined) return tracesEndpoint;
  return `${otlpEndpoint.replace(/\/$/, "")}/v1/traces`;
}
