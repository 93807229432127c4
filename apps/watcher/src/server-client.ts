/**
 * server-client: the server over gRPC.
 *
 * Takes   the server's internal listener; the token file is read at every call.
 * Keeps   the wire has no field for a position's mark: it travels behind the inode, `4711:9ae16a3b`, which nobody else reads.
 * Bound   `deadlineMs` a call, so that ending never waits long for a server that is away.
 */
import { timestampFromMs, timestampMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { Instant } from "@reprise/core/nouns.ts";
import { type ClientTls, createRpcClient } from "@reprise/protocol/grpc.ts";
import type { RpcClient } from "@reprise/protocol/rpc.ts";
import {
  type LogPosition as WirePosition,
  RecoveryService,
  SignalService,
  type Target as WireTarget,
  WatchService,
} from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { present } from "@reprise/protocol/wire/check.ts";
import { courseToWire } from "@reprise/protocol/wire/course.ts";
import { instantFromWire } from "@reprise/protocol/wire/instant.ts";
import {
  nodeLineFromWire,
  nodeLineToWire,
  nodeLogPositionFromWire,
  nodeLogPositionToWire,
} from "@reprise/protocol/wire/node-line.ts";
import type { LogPosition, ReportedSignal, Server, Target } from "./server.ts";

const deadlineMs = 10_000;

export interface ServerAddress {
  /** `host:port`. */
  readonly server: string;
  readonly tokenFile?: string;
  /** Absent: cleartext. */
  readonly tls?: ClientTls;
}

/** A hint for every attempt that changed: there may be something to claim, or to read to its end. */
export interface JobChanges {
  /** Ends when `signal` is aborted; rejects when the stream breaks. */
  jobChanges(signal: AbortSignal): AsyncIterable<void>;
}

export function createServerClient(
  { server, tokenFile, tls }: ServerAddress,
  clock: { now(): Instant },
): Server & JobChanges & { close(): void } {
  const options = { clock, deadlineMs, ...present({ tokenFile, tls }) };
  const watch = createRpcClient(WatchService, server, options);
  const signals = createRpcClient(SignalService, server, options);
  const recovery = createRpcClient(RecoveryService, server, options);
  return {
    ...serverOver({ watch, signals, recovery }),
    close() {
      recovery.close();
      watch.close();
      signals.close();
    },
  };
}

/** The services that the watcher calls, over whatever carries them. */
export interface WatcherRpc {
  readonly watch: RpcClient<typeof WatchService>;
  readonly signals: RpcClient<typeof SignalService>;
  readonly recovery: RpcClient<typeof RecoveryService>;
}

export function serverOver({ watch, signals, recovery }: WatcherRpc): Server & JobChanges {
  return {
    async claimTargets({ watcher, limit, renew, release, known: versions }) {
      const known = Array.from(versions, ([heimdallJobId, version]) => ({ heimdallJobId, version }));
      const answer = await watch.claimTargets({ watcher, limit, renew: [...renew], release: [...release], known });
      const { targets, unchanged, leaseMs } = answer;
      return { targets: targets.map(targetOf), unchanged, leaseMs: Number(leaseMs) };
    },
    async reportSignals({ reporter, signals: said, positions, nodeLinesRead }) {
      await signals.reportSignals({
        reporter,
        signals: said.map(wireSignal),
        positions: positions.map(wirePosition),
        nodeLinesRead: nodeLinesRead.map(({ heimdallJobId, number }) => ({ heimdallJobId, number: BigInt(number) })),
      });
    },
    async reportCourses({ reporter, courses }) {
      await signals.reportCourses({ reporter, courses: courses.map(courseToWire) });
    },
    async claimNodeLogs(watcher, limit) {
      const { nodeLogs, leaseMs } = await watch.claimNodeLogs({ watcher, limit });
      const logs = nodeLogs.map(({ cluster, node, since, positions }) => ({
        cluster,
        node,
        since: instantFromWire("since", since),
        positions: positions.map((position) => nodeLogPositionFromWire("positions", position)),
      }));
      return { nodeLogs: logs, leaseMs: Number(leaseMs) };
    },
    async reportNodeLines({ reporter, cluster, lines, positions }) {
      await signals.reportNodeLines({
        reporter,
        cluster,
        lines: lines.map(nodeLineToWire),
        positions: positions.map(nodeLogPositionToWire),
      });
    },
    async *jobChanges(signal) {
      for await (const { kind } of recovery.watch({}, { signal })) if (kind === "job") yield;
    },
  };
}

export function targetOf(wire: WireTarget): Target {
  const shared = wire.sharedAcrossAttempts;
  return {
    heimdallJobId: wire.heimdallJobId,
    jobId: wire.jobId,
    attemptIndex: wire.attemptIndex,
    jobName: wire.jobName,
    nodes: wire.nodes,
    gpuCountPerNode: wire.gpuCountPerNode,
    slurm: wire.slurm ?? {},
    logPaths: wire.logPaths,
    ...(shared === undefined ? {} : { sharedAcrossAttempts: shared }),
    ...(wire.trainingLoopTimeoutMs === 0n
      ? {}
      : {
          silence: {
            pretrainingMs: Number(wire.pretrainingTimeoutMs),
            trainingLoopMs: Number(wire.trainingLoopTimeoutMs),
          },
        }),
    slowdown: wire.slowdown,
    ended: wire.ended,
    positions: wire.positions.map(positionOf),
    earlier: wire.earlier.map(positionOf),
    nodeLines: wire.nodeLines.flatMap(({ line, shared: isShared }) =>
      line === undefined ? [] : [{ ...nodeLineFromWire("nodeLines", line), isShared }],
    ),
    nodeLinesNumber: Number(wire.nodeLinesNumber),
    version: wire.version,
  };
}

export function positionOf(wire: WirePosition): LogPosition {
  const [inode = "", mark = ""] = wire.inode.split(":", 2);
  return {
    heimdallJobId: wire.heimdallJobId,
    path: wire.path,
    device: wire.device,
    inode,
    mark,
    offset: Number(wire.offset),
    start: Number(wire.start),
    ...(wire.readAt === undefined ? {} : { readAt: timestampMs(wire.readAt) }),
    ended: wire.ended,
    ...(wire.unreadable === "" ? {} : { unreadable: wire.unreadable }),
    ...(wire.memory === "" ? {} : { memory: wire.memory }),
  };
}

export function wirePosition(position: LogPosition) {
  const { heimdallJobId, path, device, inode, mark, offset, start, readAt, ended, unreadable, memory } = position;
  return {
    heimdallJobId,
    path,
    device,
    inode: inode === "" ? "" : `${inode}:${mark}`,
    offset: BigInt(offset),
    start: BigInt(start),
    ...(readAt === undefined ? {} : { readAt: timestamp(readAt) }),
    ended,
    unreadable: unreadable ?? "",
    memory: memory ?? "",
  };
}

export function wireSignal(signal: ReportedSignal) {
  const { key, heimdallJobId, kind, at, evidence, cause, causeClass, domain, root, exitIndependent, nodes } = signal;
  const { rank, step, stepSpacingMs, detail } = signal;
  const { source, line, path, offset } = evidence;
  return {
    key,
    heimdallJobId,
    kind,
    at: timestamp(at),
    evidence: {
      source,
      line,
      ...(path === undefined ? {} : { path }),
      ...(offset === undefined ? {} : { offset: BigInt(offset) }),
      at: timestamp(evidence.at),
    },
    cause: cause ?? "",
    causeClass: causeClass ?? "",
    domain: domain ?? "",
    root,
    exitIndependent,
    nodes: [...nodes],
    ...(rank === undefined ? {} : { rank }),
    ...(step === undefined ? {} : { step: BigInt(step) }),
    ...(stepSpacingMs === undefined ? {} : { stepSpacingMs: BigInt(Math.round(stepSpacingMs)) }),
    detail: detail ?? "",
  };
}

const timestamp = (at: Instant): Timestamp => timestampFromMs(Math.round(at));
