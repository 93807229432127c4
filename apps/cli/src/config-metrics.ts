/** config-metrics: where the parts without a port of their own serve `/metrics`. A part of `config-schema.ts`. */
import type { Settings } from "@reprise/runtime/config.ts";
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
} as const satisfies Settings;

type MetricsKey = keyof typeof metricsSettings;

/** Which of them each part is told. */
export const metricsKeysOf: Readonly<Record<"watcher" | "sac" | "watchdog", readonly MetricsKey[]>> = {
  watcher: ["metricsHost", "watcherMetricsPort"],
  sac: ["metricsHost", "sacMetricsPort"],
  watchdog: ["metricsHost", "watchdogMetricsPort"],
};
