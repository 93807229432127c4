/**
 * watcher-metrics: what the watcher reads, how far behind it is, and how the server answers it.
 *
 * Keeps   nothing of what a call does is changed.
 */
import type { SignalKind } from "@reprise/core/nouns.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import { measuredPort } from "@reprise/runtime/measured-port.ts";
import { callBuckets, type Metrics } from "@reprise/runtime/metrics.ts";
import type { Server } from "./server.ts";
import type { WatcherStanding } from "./watch-once.ts";

export function addWatcherMetrics(metrics: Metrics, standing: () => WatcherStanding): void {
  const level = (name: string, help: string) => metrics.level({ name, help, labels: {} });
  const targets = level("reprise_watcher_targets", "Attempts whose logs this watcher reads.");
  const targetsMax = level("reprise_watcher_targets_max", "As many as it reads at most.");
  const files = level("reprise_watcher_files", "Log files that it follows.");
  const lag = level("reprise_watcher_lag_seconds", "Since everything was last read and the server had it.");
  const unsent = level("reprise_watcher_unsent_reports", "Reports that the server has not acknowledged.");
  metrics.source("watcher", [targets, targetsMax, files, lag, unsent], () => {
    const now = standing();
    targets.set({}, now.targets);
    targetsMax.set({}, now.targetsMax);
    files.set({}, now.files);
    lag.set({}, now.lagMs / 1_000);
    unsent.set({}, now.unsentReports);
  });
}

const calls = ["claimTargets", "reportSignals", "reportCourses", "claimNodeLogs", "reportNodeLines"] as const;
const signalKinds: Readonly<Record<SignalKind, true>> = {
  crash: true,
  hang: true,
  slowdown: true,
  numerics: true,
  progress: true,
  "checkpoint-saved": true,
  resumed: true,
  finished: true,
};

/** The server as the watcher calls it. */
export function measuredServer<S extends Server>(server: S, metrics: Metrics, clock: Pick<Clock, "elapsed">): S {
  const seconds = metrics.spread({
    name: "reprise_watcher_server_call_seconds",
    help: "Of one call of the watcher to the server.",
    labels: { call: calls, outcome: ["ok", "failed"] },
    buckets: callBuckets,
  });
  const signals = metrics.count({
    name: "reprise_watcher_signals_total",
    help: "Signals that the server has taken, by kind.",
    labels: { kind: Object.keys(signalKinds) },
  });
  const timed = measuredPort<Server, (typeof calls)[number]>(server, calls, clock, (call, passed, answer) =>
    seconds.observe({ call, outcome: answer === undefined ? "failed" : "ok" }, passed),
  ) as S;
  return {
    ...timed,
    async reportSignals(report: Parameters<Server["reportSignals"]>[0]) {
      await timed.reportSignals(report);
      for (const { kind } of report.signals) signals.add({ kind });
    },
  };
}
