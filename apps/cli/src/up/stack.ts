/**
 * stack: the parts of one machine as processes: started in order, started again when they die, ended in order.
 *
 * Takes   the program of a part and the configuration of each; what follows from the server's addresses is computed when
 *         the server listens.
 * Keeps   A server that is started again gets the ports that it had: the others, and the scripts that read the ready
 *         line, know no others. The watchdog is left, never ended: it may be all that stands between a held job and its user.
 * Fails   A server that ends before it ever listened ends the stack (`not-ready`): its own words are on stderr.
 * Bound   `stopLimitMs` for each part's own end.
 */
import { type Life, untilAborted } from "@reprise/runtime/life.ts";
import { type Child, startChild } from "@reprise/runtime/processes.ts";
import { keepRunning, type Supervised } from "@reprise/runtime/supervise.ts";
import type { SacConfig, WatchdogConfig } from "@reprise/sac/config.ts";
import type { ListenAddress, ServerConfig, ServerReady } from "@reprise/server/config.ts";
import type { WatcherConfig } from "@reprise/watcher/config.ts";
import { heapBounds } from "@reprise/watcher/heap-bounds.ts";
import type { Part } from "../config-schema.ts";
import type { FirstMessage, PartMessage } from "./messages.ts";

export const stopLimitMs = 10_000;

export interface StackPlan {
  /** The file that runs a part, called with its name and `--under-up`. */
  readonly program: string;
  readonly server: ServerConfig;
  /** @param server The internal gRPC address, `host:port`. */
  readonly watcher: (server: string) => WatcherConfig;
  /** Both absent: no scheduler. */
  readonly sac?: (server: string) => SacConfig;
  readonly watchdog?: { readonly config: WatchdogConfig; readonly logFile: string };
  /** Variables for each part, before those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly log: { readonly logLevel: string; readonly isPretty: boolean };
}

export interface StackEvents {
  /** Once: everything listens, and every part has been started. */
  onReady(ready: ServerReady, parts: readonly PartState[]): void;
  /** The watchdog still runs after the stack has ended. */
  onWatchdogLeft(pid: number | undefined, logFile: string): void;
}

export interface PartState {
  readonly part: Part;
  readonly pid: number | undefined;
}

/** Runs until the life ends. */
export async function runStack(life: Life, plan: StackPlan, events: StackEvents): Promise<"stopped" | "not-ready"> {
  const server = startServerPart(life, plan);
  const ready = await Promise.race([server.ready, server.kept.ended, untilAborted(life.signal)]);
  if (life.signal.aborted) await server.kept.current()?.stop(stopLimitMs);
  if (ready === undefined || life.signal.aborted) return life.signal.aborted ? "stopped" : "not-ready";

  const kept = new Map<Part, Supervised>([["server", server.kept]]);
  const keep = (part: Part, config: unknown, group: Group = { kind: "shared" }) =>
    kept.set(
      part,
      keepRunning(life, () => startPart(life, plan, part, config, group)),
    );
  keep("watcher", plan.watcher(ready.internalGrpc));
  // The watchdog first: SAC acts only beside a living one.
  if (plan.watchdog !== undefined)
    keep("watchdog", plan.watchdog.config, { kind: "own", logFile: plan.watchdog.logFile });
  if (plan.sac !== undefined) keep("sac", plan.sac(ready.internalGrpc));
  events.onReady(
    ready,
    [...kept].map(([part, supervised]) => ({ part, pid: supervised.current()?.pid })),
  );

  await untilAborted(life.signal);
  await endInOrder(kept, plan, events);
  return "stopped";
}

/**
 * First those that act and read. Then the watchdog is left: it ends by itself as soon as nothing of ours is held, and goes
 * on alone while something is. The server last.
 */
async function endInOrder(kept: ReadonlyMap<Part, Supervised>, plan: StackPlan, events: StackEvents): Promise<void> {
  const stop = (part: Part) => kept.get(part)?.current()?.stop(stopLimitMs);
  await Promise.all([stop("sac"), stop("watcher")]);
  const watchdog = kept.get("watchdog")?.current();
  const left = watchdog?.letGo(stopLimitMs);
  await stop("server");
  if (watchdog !== undefined && (await left) === undefined && plan.watchdog !== undefined) {
    events.onWatchdogLeft(watchdog.pid, plan.watchdog.logFile);
  }
}

interface ServerPart {
  readonly kept: Supervised;
  readonly ready: Promise<ServerReady>;
}

function startServerPart(life: Life, plan: StackPlan): ServerPart {
  let known: ServerReady | undefined;
  let tellReady: (ready: ServerReady) => void = () => {};
  const ready = new Promise<ServerReady>((resolve) => (tellReady = resolve));
  const hear = (message: unknown) => {
    const { kind, ready: said } = message as PartMessage;
    if (kind !== "ready") return;
    known ??= said as ServerReady;
    tellReady(known);
  };
  const start = () =>
    startPart(
      life,
      plan,
      "server",
      known === undefined ? plan.server : withPortsOf(known, plan.server),
      { kind: "shared" },
      hear,
    );
  return { ready, kept: keepRunning(life, start, { mayRetry: () => known !== undefined }) };
}

type Group = { readonly kind: "shared" } | { readonly kind: "own"; readonly logFile: string };

function startPart(
  life: Life,
  plan: StackPlan,
  part: Part,
  config: unknown,
  group: Group,
  onMessage = (_message: unknown) => {},
): Child {
  // A file is read by no terminal.
  const firstMessage: FirstMessage = { config, ...plan.log, ...(group.kind === "own" ? { isPretty: false } : {}) };
  return startChild(
    {
      name: part,
      nodeArgs: part === "watcher" ? heapBounds : [],
      file: plan.program,
      args: [part, "--under-up"],
      firstMessage,
      group,
      onMessage,
      ...(plan.env === undefined ? {} : { env: plan.env }),
    },
    life.clock,
  );
}

/** The same listeners on the ports that they really got: 0 picks a free one only the first time. */
export function withPortsOf(ready: ServerReady, config: ServerConfig): ServerConfig {
  const at = (listener: ListenAddress, address: string): ListenAddress => {
    const port = /:(\d+)(?=\/|$)/.exec(address)?.[1];
    return port === undefined ? listener : { ...listener, port: Number(port) };
  };
  return {
    ...config,
    http: at(config.http, ready.http),
    grpc: at(config.grpc, ready.grpc),
    internalHttp: at(config.internalHttp, ready.internalHttp),
    internalGrpc: at(config.internalGrpc, ready.internalGrpc),
  };
}
