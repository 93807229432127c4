/**
 * roles: the real programs, started in a world: server, SAC, watchdog, watcher. As their `main.ts` put them together, with the
 * world's clock, disk, network and Slurm in place of the real ones.
 *
 * Keeps   no thinking of their own: what is here is what `main.ts` of each has, and nothing else.
 */
import { limits } from "@reprise/core/limits.ts";
import { AuditService } from "@reprise/protocol/gen/heimdall/v1/audit_pb.ts";
import { HeimdallService } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import {
  ObservationService,
  RecoveryService,
  SignalService,
  WatchService,
} from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { startLoop } from "@reprise/runtime/loop.ts";
import type { Metrics } from "@reprise/runtime/metrics.ts";
import { startController, type Controller } from "@reprise/sac/controller.ts";
import { createJournal } from "@reprise/sac/journal.ts";
import { newWatchdogState } from "@reprise/sac/loops/watch-once.ts";
import { runWatchdog, watchdogStanding } from "@reprise/sac/run-watchdog.ts";
import { addWatchdogMetrics } from "@reprise/sac/sac-metrics.ts";
import { serverOver as sacServerOver } from "@reprise/sac/server-client.ts";
import type { Slurm } from "@reprise/sac/slurm/slurm.ts";
import { createCallMetrics } from "@reprise/server/gateway/call-metrics.ts";
import { type Service, service } from "@reprise/server/gateway/services.ts";
import { addAuditMetrics } from "@reprise/server/manager/audit/audit-metrics.ts";
import { createAuditQueue } from "@reprise/server/manager/audit/audit-queue.ts";
import { decideOnce } from "@reprise/server/manager/loops/decide-once.ts";
import { gateOnce } from "@reprise/server/manager/loops/gate-once.ts";
import { addRecordMetrics } from "@reprise/server/manager/record-metrics.ts";
import { tellOnce } from "@reprise/server/manager/notice/tell-once.ts";
import { auditRoutes } from "@reprise/server/manager/routes/audit.ts";
import { heimdallRoutes } from "@reprise/server/manager/routes/heimdall.ts";
import { observationRoutes } from "@reprise/server/manager/routes/observation.ts";
import { recoveryRoutes } from "@reprise/server/manager/routes/recovery.ts";
import { watchingRoutes } from "@reprise/server/manager/routes/watching.ts";
import type { Store } from "@reprise/server/manager/store.ts";
import type { Matcher } from "@reprise/watcher/match/matcher.ts";
import { runWatcher } from "@reprise/watcher/run-watcher.ts";
import { serverOver as watcherServerOver } from "@reprise/watcher/server-client.ts";
import type { LogSource } from "@reprise/watcher/source/source.ts";
import { createWatcher } from "@reprise/watcher/watch-once.ts";
import { addWatcherMetrics } from "@reprise/watcher/watcher-metrics.ts";
import { every } from "./calm.ts";
import type { HostDisk } from "./disk.ts";
import type { Reachable } from "./network.ts";
import { clientOver, type Link } from "./rpc.ts";
import type { SimProcess } from "./sim-process.ts";
import type { ReprisePlan } from "./spec.ts";
import type { Webhook } from "./webhook.ts";

export const cluster = "default";

export interface Routes {
  readonly heimdall: object;
  readonly observation: object;
  readonly watching: object;
  readonly recovery: object;
  readonly audit: object;
}

/** What the program tells of itself, as its `main.ts` adds it. */
export interface Measured {
  addMetrics(metrics: Metrics): void;
}

export interface RunningServer extends Reachable, Measured {
  /** Once somebody measures: with their calls counted. */
  readonly routes: Routes;
  /** The database tells it nothing any more. */
  readonly deafen: () => void;
}

export function startServer(
  process: SimProcess,
  database: Store,
  targetLeaseMs: number,
  webhook?: Pick<Webhook, "receivers" | "send">,
): RunningServer {
  const { life } = process;
  const store = process.guard("store", database, ["onChange", "close"]);
  const manager = { store, clock: life.clock, site: { cluster }, targetLeaseMs };
  const audit = createAuditQueue(store, life);
  let routes: Routes = {
    heimdall: heimdallRoutes(manager),
    observation: observationRoutes(manager),
    watching: watchingRoutes(manager),
    recovery: recoveryRoutes(manager),
    audit: auditRoutes(manager, audit),
  };
  const loop = startLoop(life, "decide", every.decide, async () =>
    (await decideOnce(manager, life.log)) ? 0 : undefined,
  );
  const told = new Map<string, string>();
  void startLoop(life, "gates", every.gates, () => gateOnce(manager, told));
  if (webhook !== undefined) {
    const { send } = process.guard("webhook", { send: webhook.send.bind(webhook) });
    void startLoop(life, "notices", every.notices, () => tellOnce(manager, webhook.receivers, send, life.log));
  }
  const deafen = store.onChange(() => loop.wake());
  return {
    process,
    get routes() {
      return routes;
    },
    deafen,
    broken: new Set(),
    addMetrics(metrics) {
      addRecordMetrics(metrics, { ...manager, store: database });
      addAuditMetrics(metrics, audit);
      routes = measuredRoutes(metrics, routes, life);
    },
  };
}

function measuredRoutes(metrics: Metrics, routes: Routes, { clock }: SimProcess["life"]): Routes {
  const services = {
    heimdall: service(HeimdallService, routes.heimdall),
    observation: service(ObservationService, routes.observation),
    signals: service(SignalService, routes.watching),
    watch: service(WatchService, routes.watching),
    recovery: service(RecoveryService, routes.recovery),
    audit: service(AuditService, routes.audit),
  };
  const calls = createCallMetrics(metrics, clock, Object.values(services));
  const measured = (one: Service) => {
    const [counted] = calls.measured([one]);
    return Object.fromEntries(one.desc.methods.map((method) => [method.localName, counted?.handlerOf(method)]));
  };
  const { heimdall, observation, signals, watch, recovery, audit } = services;
  return {
    heimdall: measured(heimdall),
    observation: measured(observation),
    watching: { ...measured(signals), ...measured(watch) },
    recovery: measured(recovery),
    audit: measured(audit),
  };
}

export interface SacParts {
  readonly plan: ReprisePlan;
  readonly disk: HostDisk;
  readonly holder: string;
  readonly link: Link;
  readonly routes: () => Routes;
  readonly slurm: Slurm;
}

export function startSac(process: SimProcess, parts: SacParts): Controller {
  const { plan, disk, link, routes } = parts;
  const server = sacServerOver({
    observation: clientOver(ObservationService, () => routes().observation, link),
    heimdall: clientOver(HeimdallService, () => routes().heimdall, link),
    recovery: clientOver(RecoveryService, () => routes().recovery, link),
  });
  const { mode, partitions, skipRequeueDelay, failOpenAfterMs, slurmReleases = [] } = plan;
  const { restartsPerMinuteMax = limits.restartsPerMinuteMax } = plan;
  let reports = 0;
  return startController(
    {
      config: {
        mode,
        partitions,
        pollMs: every.sac,
        slurmReleases,
        skipRequeueDelay,
        failOpenAfterMs,
        requireWatchdog: true,
        restartsPerMinuteMax,
        serverGraceMs: limits.serverGraceMs,
      },
      cluster,
      holder: parts.holder,
      newName: () => `${process.name}-${++reports}`,
      slurm: process.guard("slurm", parts.slurm),
      server: process.guard("server", server),
      journal: createJournal(process.guard("journal", disk.journalFile(), "all"), () => process.life.chance.uuid()),
      beside: process.guard("beside", disk.beside(), "all"),
      tryLock: () => lockOf(process, disk),
    },
    process.life,
  );
}

export function startWatchdog(process: SimProcess, plan: ReprisePlan, disk: HostDisk, slurm: Slurm): Measured {
  const { failOpenAfterMs, watchdogMode: mode } = plan;
  const parts = {
    config: { mode, failOpenAfterMs, serverGraceMs: limits.serverGraceMs },
    slurm: process.guard("slurm", slurm),
    journal: createJournal(process.guard("journal", disk.journalFile(), "all"), () => process.life.chance.uuid()),
    beside: process.guard("beside", disk.beside(), "all"),
    tryLock: () => lockOf(process, disk),
    clock: process.life.clock,
    log: process.life.log,
  };
  const { clock } = parts;
  const state = newWatchdogState(clock, parts.beside.watchdogBeat()?.silences);
  void runWatchdog(parts, every.watchdog, process.life, undefined, state);
  return {
    addMetrics: (metrics) => addWatchdogMetrics(metrics, () => watchdogStanding(parts.config, state, clock.now())),
  };
}

function lockOf(process: SimProcess, disk: HostDisk): { release(): void } | undefined {
  const lock = process.guard("disk", { tryLock: () => disk.tryLock("lock", process.name) }, "all").tryLock();
  return lock && process.guard("lock", lock, "all");
}

export interface WatcherParts {
  readonly watcherId: string;
  readonly link: Link;
  readonly routes: () => Routes;
  readonly source: LogSource;
  readonly matcher: Matcher;
  /** Absent: nodes have no logs of their own. */
  readonly nodeLogs?: { readonly patterns: readonly string[]; readonly zone: string };
}

export function startWatcher(process: SimProcess, parts: WatcherParts): Measured {
  const { link, routes, source, matcher, watcherId, nodeLogs } = parts;
  const { life } = process;
  const server = watcherServerOver({
    watch: clientOver(WatchService, () => routes().watching, link),
    signals: clientOver(SignalService, () => routes().watching, link),
    recovery: clientOver(RecoveryService, () => routes().recovery, link),
  });
  const guarded = process.guard("server", server, ["jobChanges"]);
  const watcher = createWatcher({
    watcherId,
    targetsMax: 1_000,
    server: guarded,
    source,
    matcher,
    nodeLogs: nodeLogs && { ...nodeLogs, nodesMax: 1_000 },
    clock: life.clock,
    log: life.log,
  });
  void runWatcher(watcher, guarded, life);
  return { addMetrics: (metrics) => addWatcherMetrics(metrics, () => watcher.standing()) };
}
