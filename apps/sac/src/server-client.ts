/**
 * server-client: SAC's `Server` over gRPC.
 *
 * Fails   a `Refusal` as the server threw it; `unavailable` when it is away.
 */
import { create, type JsonObject } from "@bufbuild/protobuf";
import { launchFailed } from "@reprise/core/fact/launch-hold.ts";
import { isOfGates } from "@reprise/core/dag/gate-rule.ts";
import { HeimdallService } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import {
  type AttemptRef,
  AttemptRefSchema,
  ObservationService,
  RecoveryService,
  type ReportPassResponse,
  type Work as WireWork,
} from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { createRpcClient } from "@reprise/protocol/grpc.ts";
import type { RpcClient } from "@reprise/protocol/rpc.ts";
import { present } from "@reprise/protocol/wire/check.ts";
import {
  actionToWire,
  desiredStateFromWire,
  dispositionToWire,
  jobStatusToWire,
  operationToWire,
  reasonToWire,
} from "@reprise/protocol/wire/enums.ts";
import { ordersFromWire, sacReportToWire } from "@reprise/protocol/wire/cluster-mode.ts";
import {
  instantFromWire,
  instantToWire,
  optionalInstantFromWire,
  optionalInstantToWire,
} from "@reprise/protocol/wire/instant.ts";
import { recoveryConfigOf } from "@reprise/protocol/wire/recovery-config.ts";
import type { SlurmNode } from "@reprise/core/nouns.ts";
import { forbidden } from "@reprise/core/override/override.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { SacConfig } from "./config.ts";
import type { StepWithKey } from "./journal.ts";
import type { AttemptReport, GateRefusal, PassAnswer, PassReport, Server } from "./server.ts";

/** SAC's pass must not hang on a server that does not answer. */
const deadlineMs = 5_000;

export function createServerClient(
  config: Pick<SacConfig, "server" | "tokenFile" | "tls">,
  clock: Clock,
): Server & { close(): void } {
  const options = { clock, deadlineMs, ...present({ tokenFile: config.tokenFile, tls: config.tls }) };
  const observation = createRpcClient(ObservationService, config.server, options);
  const heimdall = createRpcClient(HeimdallService, config.server, options);
  const recovery = createRpcClient(RecoveryService, config.server, options);
  return {
    ...serverOver({ observation, heimdall, recovery }),
    close() {
      for (const client of [observation, heimdall, recovery]) client.close();
    },
  };
}

/** The services that SAC calls, over whatever carries them. */
export interface SacRpc {
  readonly observation: RpcClient<typeof ObservationService>;
  readonly heimdall: RpcClient<typeof HeimdallService>;
  readonly recovery: RpcClient<typeof RecoveryService>;
}

export function serverOver({ observation, heimdall, recovery }: SacRpc): Server {
  /** Mostly the same as in the pass before. */
  let last: { readonly seen: PassReport["seen"]; readonly wire: AttemptRef[] } = { seen: [], wire: [] };
  return {
    async reportPass({
      takenAt,
      takenAfter,
      leaseTerm,
      changed,
      seen,
      nodes,
      steps,
      partitions,
      unavailable,
      slurm,
      sac,
      ...rest
    }) {
      if (seen !== last.seen) last = { seen, wire: seen.map((one) => create(AttemptRefSchema, one)) };
      const answer = await observation.reportPass({
        ...rest,
        leaseTerm: BigInt(leaseTerm),
        takenAt: instantToWire(takenAt),
        unavailable: unavailable ?? "",
        changed: changed.map(attemptToWire),
        seen: last.wire,
        nodes: nodes.map(nodeToWire),
        steps: steps.map(stepToWire),
        partitions: [...partitions],
        slurmVersion: slurm?.version ?? "",
        slurmStanding: slurm?.standing ?? "",
        sac: sacReportToWire(sac),
        ...present({ takenAfter: optionalInstantToWire(takenAfter) }),
      });
      return passAnswerOf(answer);
    },
    async acquireLease(cluster, holder) {
      const { held, term, expiresAt } = await observation.acquireLease({ cluster, holder });
      return { isHeld: held, term: Number(term), expiresAt: instantFromWire("expiresAt", expiresAt) };
    },
    async listWork(cluster) {
      const { work } = await observation.listWork({ cluster });
      return work.map(workFromWire);
    },
    async orders(cluster) {
      const { mode } = await recovery.getMode({ cluster });
      const orders = ordersFromWire("mode.orders", mode?.orders);
      return { orders, ...present({ lastReportId: mode?.lastReportId }) };
    },
    async reportStatus({ heimdallJobId, generation, disposition, reason, message, observedAt }) {
      const status = {
        observedGeneration: BigInt(generation),
        disposition: dispositionToWire(disposition),
        reason: reasonToWire(reason),
        message,
      };
      await heimdall.updateAdviceReconciliationStatus({
        heimdallJobId,
        reconciliationStatus: { ...status, observedAt: instantToWire(observedAt) },
      });
    },
    async recordMilestone({ operation, action, completedAt, ...names }) {
      await heimdall.recordRecoveryMilestone({
        ...names,
        operation: operationToWire(operation),
        action: actionToWire(action),
        completedAt: instantToWire(completedAt),
      });
    },
    async watch(cluster, onChange, signal) {
      for await (const { kind } of recovery.watch({ cluster }, { signal }))
        if (kind === "advice" || kind === "order") onChange();
    },
  };
}

function passAnswerOf({ confirmedStepKeys, ignored, heardAt }: ReportPassResponse): PassAnswer {
  return {
    confirmedStepKeys,
    isTaken: !ignored,
    ...present({ heardAt: optionalInstantFromWire("heardAt", heardAt) }),
  };
}

function nodeToWire({ name, state, isEligible, partitions, features, reservations, hardware }: SlurmNode) {
  return {
    name,
    state,
    eligible: isEligible,
    partitions: [...partitions],
    features: { names: [...features] },
    ...(reservations === undefined ? {} : { reservations: { names: [...reservations] } }),
    ...(hardware === undefined ? {} : { hardware }),
  };
}

function attemptToWire({
  nodes,
  exclusions,
  inclusions,
  status,
  schedulerMetadata,
  policy,
  gpuCountPerNode,
  ...names
}: AttemptReport) {
  return {
    ...names,
    allocatedNodes: [...nodes],
    nodeConstraints: { exclusions: [...exclusions], inclusions: [...inclusions] },
    schedulerMetadata: schedulerMetadata as JsonObject,
    ...present({
      gpuCountPerNode,
      state: status === undefined ? undefined : jobStatusToWire(status),
      recoveryConfig: policy === undefined ? undefined : recoveryConfigOf(policy),
    }),
  };
}

function stepToWire(step: StepWithKey | GateRefusal) {
  const { heimdallJobId, jobId, attemptIndex, generation } = step.work;
  const ended = "endedAt" in step ? optionalInstantToWire(step.endedAt) : undefined;
  return {
    key: step.key,
    heimdallJobId,
    jobId,
    attemptIndex,
    generation: BigInt(generation),
    action: step.action,
    begunAt: instantToWire(step.begunAt),
    // Begun, and nobody knows how it went: no outcome. Only the gate's no is one by itself.
    outcome: step.action === "refused-by-gate" ? "refused" : (step.outcome ?? ""),
    detail: detailOf(step),
    ...present({ endedAt: ended }),
  };
}

function detailOf(step: StepWithKey | GateRefusal): string {
  const onJob = "onJob" in step && step.onJob !== undefined ? [`on job ${step.onJob}`] : [];
  return [...onJob, ...(step.detail ? [step.detail] : [])].join(": ");
}

function workFromWire(work: WireWork): Work {
  const advice = work.advice;
  const desired = desiredStateFromWire("advice.desiredState", advice?.desiredState ?? 0);
  if (advice === undefined || desired === undefined) throw new Error("the server sent work without a desired state");
  return {
    heimdallJobId: advice.heimdallJobId,
    jobId: advice.jobId,
    attemptIndex: advice.attemptIndex,
    sourceSubmitAt: instantFromWire("sourceSubmitTime", work.sourceSubmitTime),
    generation: Number(advice.generation),
    desired,
    exclusions: work.exclusions.map(({ node, confidence, expiresAt }) => ({
      node,
      confidence,
      expiresAt: instantFromWire("expiresAt", expiresAt),
    })),
    authorExclusions: work.authorExclusions,
    startDelayMs: Number(work.startDelayMs),
    restartsCompleted: advice.because === "completed",
    logEnded: work.logEnded,
    withdrawn: work.withdrawn,
    forbidden: work.withdrawn && advice.because === forbidden,
    expiresAt: instantFromWire("expiresAt", advice.expiresAt),
    partition: work.sourcePartition,
    ...(work.undecided ? { isUndecided: true } : {}),
    ...(work.chain ? { isOfChain: true } : {}),
    ...(advice.because === launchFailed ? { isOfLaunch: true } : {}),
    ...(isOfGates(advice.because) ? { isOfGates: true } : {}),
    ...present({
      sourceSluid: work.sourceSluid === "" ? undefined : work.sourceSluid,
      sourceDependency: work.sourceDependency === "" ? undefined : work.sourceDependency,
    }),
  };
}
