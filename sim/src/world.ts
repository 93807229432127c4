/**
 * world: a whole cluster with Reprise in it, in one thread: the real programs, and all that is around them.
 *
 * Takes         a spec, drawn (`draw-world.ts`) or written (`write-world.ts`), and lots.
 * Gives         time that passes (`run`), troubles (`troubles.ts`), and everything that happened (observers, the diary).
 * Keeps         same spec and seed, same diary. Two phases: troubles until `heal`, then none.
 */
import { attemptUuid } from "@reprise/core/identity/attempt-uuid.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Controller } from "@reprise/sac/controller.ts";
import { addSacMetrics } from "@reprise/sac/sac-metrics.ts";
import type { Slurm } from "@reprise/sac/slurm/slurm.ts";
import { createMemoryStore, type MemoryStore } from "@reprise/server/manager/store/memory/memory-store.ts";
import type { Store } from "@reprise/server/manager/store.ts";
import type { Lots } from "./chance.ts";
import { Host, WorldClock } from "./clock.ts";
import { openDatabase, sound } from "./database.ts";
import { Calm, every } from "./calm.ts";
import { Diary } from "./diary.ts";
import type { FaultKind } from "./fault-kinds.ts";
import { HostDisk } from "./disk.ts";
import { Logs, prompt } from "./logs.ts";
import { matcher } from "./matcher.ts";
import { createLink, perfect } from "./network.ts";
import type { Observer } from "./observer.ts";
import type { Link } from "./rpc.ts";
import {
  cluster,
  type Measured,
  type RunningServer,
  startSac,
  startServer,
  startWatchdog,
  startWatcher,
} from "./roles.ts";
import { SimProcess } from "./sim-process.ts";
import { createSimSlurm } from "./slurm/create-sim-slurm.ts";
import type { Program, RunningAttempt, SimSlurm, SubmitSpec } from "./slurm/sim-slurm.ts";
import { type JobSpec, kindOf, type Role, type WorldSpec } from "./spec.ts";
import { tapsOf } from "./taps.ts";
import { tellSlurm } from "./tell.ts";
import { nodeLogSite } from "./node-log.ts";
import { Training } from "./training.ts";
import { Webhook } from "./webhook.ts";
import { watchedSlurm } from "./watched-slurm.ts";

const clientDeadlineMs = { sac: 5_000, watcher: 10_000 };

/** A host on which a SAC and a watchdog run. */
export interface SacHost {
  readonly name: string;
  readonly clock: Host;
  readonly disk: HostDisk;
}

export interface Running {
  readonly process: SimProcess;
  readonly kind: Role;
  readonly gone: AbortController;
  link: (Link & { isCut: boolean }) | undefined;
  server?: RunningServer;
  controller?: Controller;
  /** Absent: not yet. */
  measured?: Measured;
  readonly host?: SacHost;
}

export class World {
  readonly spec: WorldSpec;
  readonly lots: Lots;
  readonly clock: WorldClock;
  readonly diary: Diary;
  readonly slurm: SimSlurm;
  readonly memory: MemoryStore;
  readonly database: Store;
  readonly logs: Logs;
  readonly hosts: readonly SacHost[];
  readonly serverHost: Host;
  readonly watcherHost: Host;
  readonly running = new Map<string, Running>();
  readonly observers: Observer[] = [];
  readonly calm: Calm;
  isHealed = false;
  /** The first violation ends the run. */
  violation: { readonly checker: string; readonly text: string } | undefined;
  private readonly saved = new Map<string, { step: number }>();
  /** The last attempt of each job that has started. */
  readonly attempts = new Map<string, RunningAttempt>();
  /** By name, of the newest. */
  private readonly ids = new Map<string, string>();
  private readonly plans = new Map<string, JobSpec>();
  /** Of each job, by attempt; and the way back. */
  private readonly uuids = new Map<string, string[]>();
  private readonly names = new Map<string, string>();
  private readonly wakeLots: Lots;
  private lives = 0;

  constructor(spec: WorldSpec, lots: Lots) {
    this.spec = spec;
    this.lots = lots;
    this.clock = new WorldClock(spec.begunAt);
    this.diary = new Diary(this.clock);
    this.hosts = ["a", "b"].map((name) => ({
      name,
      clock: new Host(name, this.clock),
      disk: new HostDisk(this.clock),
    }));
    this.serverHost = new Host("server", this.clock);
    this.watcherHost = new Host("watcher", this.clock);
    this.wakeLots = lots.of("wake");
    this.calm = new Calm(this);
    this.observers.push(this.calm.observer);
    const slurmLots = lots.of("slurm");
    this.slurm = createSimSlurm({
      clock: this.clock,
      chance: () => slurmLots.number(),
      nodes: spec.nodes,
      partitions: spec.partitions,
      settings: spec.settings,
      start: (attempt) => this.startProgram(attempt),
    });
    this.clock.mover = this.slurm;
    this.memory = createMemoryStore();
    // Whoever claims what is to be read polls for it; the stream of changes may fail him.
    this.memory.onChange(({ kind }) => kind === "job" && this.nudge("watcher", every.claim));
    this.database = openDatabase({
      store: this.memory,
      world: this.clock,
      chance: lots.of("database"),
      faults: () => (this.isHealed ? sound : spec.faults.database),
      onFault: (kind) => this.fault(kind),
      taps: tapsOf(this),
    });
    this.logs = new Logs(
      this.clock,
      lots.of("logs"),
      () => (this.isHealed ? prompt : spec.faults.logs),
      (path) => this.calm.logWritten(path),
      (kind) => this.fault(kind),
    );
    this.slurm.onEvent((event) => {
      tellSlurm(this.diary, event);
      for (const o of this.observers) o.slurm?.(event);
      if (event.kind === "ended" || event.kind === "completing") this.wakeSac();
    });
    for (const host of this.hosts)
      host.disk.onEntry((entry) => {
        for (const o of this.observers) o.entry?.(host, entry);
      });
    for (const job of spec.jobs) this.clock.after(job.afterMs, () => this.submit(job));
  }

  run(ms: number): Promise<void> {
    return this.clock.run(this.clock.now() + ms, () => this.violation !== undefined);
  }

  violate(checker: string, text: string): void {
    if (this.violation !== undefined) return;
    this.violation = { checker, text };
    this.diary.write("CHECKER", `${checker}: ${text}`);
  }

  fault(kind: FaultKind): void {
    for (const o of this.observers) o.fault?.(kind);
  }

  submit(job: JobSpec): string {
    const dependency = this.withIds(job.submit.dependency);
    const jobId = this.slurm.submit({ ...job.submit, dependency });
    if (job.submit.hetComponents !== undefined) this.fault("submitted: heterogeneous");
    if (job.submit.comment?.includes('"dag_dependencies"') === true) this.fault("submitted: gates");
    if (dependency !== "") this.fault(`submitted: ${dependency.includes("singleton") ? "singleton" : "dependency"}`);
    this.plans.set(job.submit.name ?? jobId, job);
    this.ids.set(job.submit.name ?? jobId, jobId);
    this.plans.set(jobId, job);
    return jobId;
  }

  /** `afterok:train-3`: Slurm knows jobs by their IDs. One that is not there yet, nobody waits for. */
  private withIds(dependency = ""): string {
    const known = dependency.split(",").flatMap((part) => {
      const [kind = "", ...names] = part.split(":");
      const ids = names.flatMap((name) => this.ids.get(name) ?? (/^\d/.test(name) ? name : []));
      return names.length > 0 && ids.length === 0 ? [] : [[kind, ...ids].join(":")];
    });
    return known.join(",");
  }

  /** What sbatch was told; of a component that was submitted with its leader. */
  specOf(jobId: string): SubmitSpec | undefined {
    const plan = this.planOf(jobId);
    if (plan !== undefined) return plan.submit;
    const led = this.slurm.job(jobId)?.hetJobId;
    return led === undefined ? undefined : this.planOf(String(led))?.submit;
  }

  /** As submitted under this ID, or under the ID of its array. */
  private planOf(jobId: string): JobSpec | undefined {
    return this.plans.get(jobId) ?? this.plans.get(jobId.split("_")[0]!);
  }

  /** The record of the first incarnation's attempt: what `scheduler job, index` is on the server. */
  uuidOf(jobId: string, attemptIndex: number): string {
    const known = this.uuids.get(jobId)?.[attemptIndex];
    if (known !== undefined) return known;
    const uuid = attemptUuid({ cluster, jobId, attemptIndex });
    const ofJob = this.uuids.get(jobId) ?? [];
    this.uuids.set(jobId, ofJob);
    ofJob[attemptIndex] = uuid;
    return uuid;
  }

  /** The node is there again, and somebody tells Slurm so. */
  repair(name: string): void {
    this.slurm.site.nodeBack(name);
    this.slurm.type("root", "scontrol", "update", `NodeName=${name}`, "State=RESUME");
  }

  startAll(): void {
    const { hasSecondSac, watchers } = this.spec.reprise;
    this.start("server");
    this.start("watchdog");
    this.start("sac");
    if (hasSecondSac) this.start("sac-b");
    if (hasSecondSac) this.start("watchdog-b");
    for (let i = 1; i <= watchers; i++) this.start(i === 1 ? "watcher" : `watcher-${i}`);
  }

  /** @param role `server`, `sac`, `sac-b`, `watchdog`, `watcher`, `watcher-2`, … Does nothing while one of it runs. */
  start(role: string): void {
    if (this.running.has(role)) return;
    const kind = kindOf(role);
    const host = this.hostOf(role);
    const process = this.createProcess(
      role,
      kind,
      host?.clock ?? (kind === "server" ? this.serverHost : this.watcherHost),
      host,
    );
    const run: Running = {
      process,
      kind,
      gone: new AbortController(),
      link: undefined,
      ...(host === undefined ? {} : { host }),
    };
    this.running.set(role, run);
    this.diary.write(role, "starts");
    for (const o of this.observers) o.started?.(role);
    if (kind === "server") {
      const webhook = this.spec.reprise.tells === true ? new Webhook(this) : undefined;
      run.server = startServer(process, this.database, this.calm.targetLeaseMs, webhook);
      run.measured = run.server;
    }
    if (kind === "sac" || kind === "watcher") run.link = this.linkOf(run);
    if (kind === "watcher")
      run.measured = startWatcher(process, {
        watcherId: role,
        link: run.link!,
        routes: () => this.routes(),
        source: this.logs.source,
        matcher,
        ...(this.spec.reprise.nodeLogs ? { nodeLogs: nodeLogSite } : {}),
      });
    if (host === undefined) return;
    const slurm = watchedSlurm(this, { role: kind as "sac" | "watchdog", name: process.name, host });
    if (kind === "watchdog") run.measured = startWatchdog(process, this.spec.reprise, host.disk, slurm);
    else this.startSac(run, host, slurm);
  }

  /** Where it runs. Undefined: a server or a watcher, which have no disk of their own. */
  hostOf(role: string): SacHost | undefined {
    const isOfSac = role.startsWith("sac") || role.startsWith("watchdog");
    return isOfSac ? this.hosts[role.endsWith("-b") ? 1 : 0] : undefined;
  }

  private startSac(run: Running, host: SacHost, slurm: Slurm): void {
    run.controller = startSac(run.process, {
      plan: this.spec.reprise,
      disk: host.disk,
      holder: `host-${host.name}`,
      link: run.link!,
      routes: () => this.routes(),
      slurm,
    });
    const { standing } = run.controller;
    run.measured = { addMetrics: (metrics) => addSacMetrics(metrics, standing) };
  }

  /** kill -9. Commands that it has sent go on. */
  kill(role: string, why = "is killed"): void {
    const run = this.running.get(role);
    if (run === undefined) return;
    run.process.kill();
    this.buried(role, run, why);
  }

  private buried(role: string, run: Running, why: string): void {
    this.running.delete(role);
    this.diary.write(role, why);
    run.gone.abort();
    run.host?.disk.unlock(run.process.name);
    run.server?.deafen();
    for (const broken of Array.from(run.server?.broken ?? [])) broken(new Error("the connection broke"));
    for (const o of this.observers) o.died?.(role);
  }

  nudge(kind: Role, ms?: number): void {
    for (const run of this.running.values()) if (run.kind === kind) run.process.nudge(ms);
  }

  private wakeSac(): void {
    if (!this.isHealed && this.wakeLots.yes(this.spec.faults.loseWake)) return this.fault("wake lost");
    for (const run of this.running.values()) run.controller?.jobEnded();
  }

  private routes() {
    const server = this.running.get("server")?.server;
    if (server === undefined) throw new Error("the server is away");
    return server.routes;
  }

  private linkOf(run: Running): Link & { isCut: boolean } {
    return createLink({
      world: this.clock,
      chance: this.lots.of(`network ${run.process.name}`),
      client: run.process,
      deadlineMs: clientDeadlineMs[run.kind as "sac" | "watcher"],
      server: () => this.running.get("server")?.server,
      faults: () => (this.isHealed ? perfect : this.spec.faults.network),
      onFault: (kind) => this.fault(kind),
      gone: run.gone.signal,
    });
  }

  private createProcess(role: string, kind: Role, host: Host, sacHost: SacHost | undefined): SimProcess {
    const name = `${role}.${++this.lives}`;
    return new SimProcess({
      name,
      world: this.clock,
      host,
      chance: this.lots.of(`process ${name}`),
      log: this.logOf(role),
      idle: this.calm.idleOf(kind, role, sacHost),
      onDeath: (where) => {
        const run = this.running.get(role);
        if (run !== undefined) this.buried(role, run, `dies ${where}`);
      },
    });
  }

  private logOf(role: string): Log {
    const tell = (level: string) => (fields: object, message: string) => {
      if (level !== "debug" && process.env["SIM_LOG"] !== undefined)
        this.diary.write(role, `${level}: ${message} ${JSON.stringify(fields)}`);
    };
    return { debug: tell("debug"), info: tell("info"), warn: tell("warn"), error: tell("error") };
  }

  private startProgram(attempt: RunningAttempt): Program | undefined {
    // Several jobs may have one name, and an ID may be issued again.
    const byId = this.planOf(attempt.jobId);
    const job = byId?.submit.name === attempt.name ? byId : this.plans.get(attempt.name);
    if (job?.plan === undefined) return undefined;
    const saved = this.saved.get(attempt.jobId) ?? { step: 0 };
    this.saved.set(attempt.jobId, saved);
    this.attempts.set(attempt.jobId, attempt);
    return new Training(
      job.plan,
      saved,
      attempt,
      this.lots.of(`job ${attempt.jobId} ${attempt.restartCount} ${this.clock.now()}`),
      {
        world: this.clock,
        logs: this.logs,
        hasNodeLogs: this.spec.reprise.nodeLogs,
        isLemon: (node) => this.spec.lemons.includes(node),
        failsNoMore: () => this.isHealed,
        nodeLost: (node, how) => this.slurm.site.nodeLost(node, { silent: how === "lost-silently" }),
        onPrinted: (a, lines, is) => {
          for (const o of this.observers) o.printed?.(a, lines, is);
        },
        onFailed: (a, kind, node) => {
          for (const o of this.observers) o.failed?.(a, kind, node);
        },
        onAlarm: (a, node) => {
          for (const o of this.observers) o.alarmed?.(a, node);
        },
        foretell: (afterMs) => this.calm.foretell(afterMs),
        tell: (text, kind) => {
          this.diary.write("job", text);
          this.fault(`job: ${kind}`);
        },
      },
    );
  }

  /** `12#0`, for the diary. */
  nameOf(heimdallJobId: string): string {
    const known = this.names.get(heimdallJobId);
    if (known !== undefined) return known;
    for (const { jobId, restartCount } of this.slurm.jobs())
      for (let k = 0; k <= restartCount; k++) this.names.set(this.uuidOf(jobId, k), `${jobId}#${k}`);
    return this.names.get(heimdallJobId) ?? heimdallJobId.slice(0, 8);
  }
}
