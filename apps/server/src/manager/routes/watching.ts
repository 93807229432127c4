/**
 * watching: what a watcher asks and tells: `reprise.v1.WatchService` and `SignalService`. Lines of nodes may come from others, too.
 *
 * In the loop   claim → tail → match → **report** → facts
 * Keeps         signals and the positions up to which they were read are one transaction: nothing is lost or repeated.
 * Bound         `limits.signalsPerReportMax` signals, `targetsMax` targets, a lease of `defaultTargetLeaseMs` or as `Manager` has it;
 *               `limits.nodeLinesPerReportMax` lines of nodes, the logs of `limits.nodesMax` nodes, a lease of `nodeLogLeaseMs`.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Instant, Policy } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { SignalService, WatchService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { identifier, present, uuid, wholeNumber } from "@reprise/protocol/wire/check.ts";
import { instantToWire } from "@reprise/protocol/wire/instant.ts";
import {
  nodeLineFromWire,
  nodeLineToWire,
  nodeLogPositionFromWire,
  nodeLogPositionToWire,
} from "@reprise/protocol/wire/node-line.ts";
import { positionFromWire, positionToWire, signalFromWire } from "@reprise/protocol/wire/signal.ts";
import type { JsonObject as WireJson } from "@bufbuild/protobuf";
import type { Caller, Manager } from "../context.ts";
import type { SignalReport, Target } from "../store.ts";
import { reportCoursesRoute } from "./course.ts";

const defaultTargetLeaseMs = 15_000;
const targetsMax = 10_000;

/** Every few seconds the watchers ask again: a node is missed for a few of them when one dies. */
const nodeLogLeaseMs = 30_000;

type Routes = RpcHandlers<typeof WatchService, Caller> & RpcHandlers<typeof SignalService, Caller>;

export function watchingRoutes(manager: Manager): Routes {
  const { store, clock, site, targetLeaseMs = defaultTargetLeaseMs } = manager;
  return {
    ...reportCoursesRoute(manager),

    async claimTargets(request) {
      const { limit, renew, release } = request;
      if (limit < 0 || limit > targetsMax) throw new Refusal("invalid", `limit: ${limit}; expected 0 to ${targetsMax}`);
      const known = new Map(request.known.map(({ heimdallJobId, version }) => [heimdallJobId, version]));
      const ask = { watcher: identifier("watcher", request.watcher), limit, renew, release, known };
      const { targets, unchanged } = await store.claimTargets(ask, targetLeaseMs, clock.now());
      return { targets: targets.map(targetToWire), leaseMs: BigInt(targetLeaseMs), unchanged: [...unchanged] };
    },

    async reportSignals(request) {
      if (request.signals.length > limits.signalsPerReportMax) {
        throw new Refusal(
          "invalid",
          `signals: ${request.signals.length} in one report; expected at most ${limits.signalsPerReportMax}`,
        );
      }
      const now = clock.now();
      const report = {
        reporter: identifier("reporter", request.reporter),
        signals: request.signals.map((signal, i) => signalFromWire(`signals[${i}]`, signal)),
        positions: request.positions.map((position, i) => positionFromWire(`positions[${i}]`, position)),
        nodeLinesRead: request.nodeLinesRead.map(({ heimdallJobId, number }, i) => ({
          heimdallJobId: uuid(`nodeLinesRead[${i}].heimdallJobId`, heimdallJobId),
          number: wholeNumber(`nodeLinesRead[${i}].number`, number),
        })),
      };
      const { recorded, repeated } = await store.recordSignals(notAhead(report, now), now);
      return { recorded, repeatedSignals: repeated };
    },

    async reportNodeLines(request) {
      const { lines, positions } = request;
      if (lines.length > limits.nodeLinesPerReportMax) {
        throw new Refusal(
          "invalid",
          `lines: ${lines.length} in one report; expected at most ${limits.nodeLinesPerReportMax}`,
        );
      }
      const report = {
        reporter: identifier("reporter", request.reporter),
        cluster: request.cluster === "" ? site.cluster : request.cluster,
        lines: lines.map((line, i) => nodeLineFromWire(`lines[${i}]`, line)),
        positions: positions.map((position, i) => nodeLogPositionFromWire(`positions[${i}]`, position)),
      };
      const { recorded, repeated } = await store.reportNodeLines(report, clock.now());
      return { recorded, repeatedLines: repeated };
    },

    async claimNodeLogs({ watcher, limit }) {
      if (limit < 0 || limit > limits.nodesMax)
        throw new Refusal("invalid", `limit: ${limit}; expected 0 to ${limits.nodesMax}`);
      const ask = { watcher: identifier("watcher", watcher), limit };
      const logs = await store.claimNodeLogs(ask, nodeLogLeaseMs, clock.now());
      const nodeLogs = logs.map(({ cluster, node, since, positions }) => ({
        cluster,
        node,
        since: instantToWire(since),
        positions: positions.map(nodeLogPositionToWire),
      }));
      return { nodeLogs, leaseMs: BigInt(nodeLogLeaseMs) };
    },
  };
}

/**
 * A report tells of what has been. Where times of an attempt have not come yet its watch's clock is ahead (decision 0029), and all of
 * them move back together: "read up to then" must never be said of a time that nobody has seen.
 */
export function notAhead(report: SignalReport, now: Instant): SignalReport {
  const { signals, positions } = report;
  const aheadMs = new Map<string, number>();
  const seen = (uuid: string, at: Instant = now) => aheadMs.set(uuid, Math.max(aheadMs.get(uuid) ?? 0, at - now));
  for (const { heimdallJobId, at } of signals) seen(heimdallJobId, at);
  for (const { heimdallJobId, readAt } of positions) seen(heimdallJobId, readAt);
  const moved = (uuid: string, at: Instant) => at - (aheadMs.get(uuid) ?? 0);
  return {
    ...report,
    signals: signals.map((signal) => ({
      ...signal,
      at: moved(signal.heimdallJobId, signal.at),
      evidence: { ...signal.evidence, at: moved(signal.heimdallJobId, signal.evidence.at) },
    })),
    positions: positions.map((position) => {
      const { heimdallJobId, readAt } = position;
      return readAt === undefined ? position : { ...position, readAt: moved(heimdallJobId, readAt) };
    }),
  };
}

function targetToWire({ attempt, ended, positions, earlier, nodeLines, nodeLinesNumber, version }: Target) {
  const policy = attempt.coverage.kind === "covered" ? attempt.coverage.policy : undefined;
  return {
    heimdallJobId: attempt.heimdallJobId,
    cluster: attempt.cluster,
    jobId: attempt.jobId,
    attemptIndex: attempt.attemptIndex,
    nodes: [...attempt.nodes],
    gpuCountPerNode: attempt.gpuCountPerNode ?? 0,
    slurm: (attempt.schedulerMetadata["slurm"] ?? {}) as WireJson,
    jobName: attempt.jobName ?? "",
    logPaths: [...(policy?.logPaths ?? [])],
    ...present({ sharedAcrossAttempts: policy?.logFilePathsSharedAcrossAttempts }),
    ...detectionToWire(policy),
    ended,
    positions: positions.map(positionToWire),
    earlier: earlier.map(positionToWire),
    nodeLines: nodeLines.map((line) => ({ line: nodeLineToWire(line), shared: line.isShared })),
    nodeLinesNumber: BigInt(nodeLinesNumber),
    version,
  };
}

function detectionToWire(policy: Policy | undefined) {
  const detection = policy?.anomalyDetection;
  const ms = (seconds: number) => BigInt(Math.round(seconds * 1000));
  return {
    slowdown: detection?.slowdown === true,
    ...(detection?.logBasedTimeout === true && {
      pretrainingTimeoutMs: ms(detection.pretrainingTimeoutSeconds),
      trainingLoopTimeoutMs: ms(detection.trainingLoopTimeoutSeconds),
    }),
  };
}
