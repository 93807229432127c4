/**
 * observation: what SAC tells and asks: `reprise.v1.ObservationService`.
 *
 * In the loop   SAC → **route** → store, and the open Advice back to SAC
 * Keeps         a pass is one transaction; one that could not read Slurm changes nothing but the record that it could not.
 */
import { slurmFactsOf } from "@reprise/core/fact/slurm-facts.ts";
import { limits } from "@reprise/core/limits.ts";
import type { NodeHardware } from "@reprise/core/fact/node-hardware.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { ordered } from "@reprise/core/override/override.ts";
import type {
  Node as WireNode,
  NodeHardware as WireHardware,
  ObservationService,
  ReportPassRequest,
  StepReport,
} from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { adviceToWire } from "@reprise/protocol/wire/advice.ts";
import { identifier, present, wholeNumber } from "@reprise/protocol/wire/check.ts";
import { instantFromWire, instantToWire, optionalInstantFromWire } from "@reprise/protocol/wire/instant.ts";
import { sacReportFromWire } from "@reprise/protocol/wire/cluster-mode.ts";
import { jobReportFromWire } from "@reprise/protocol/wire/job.ts";
import type { Caller, Manager } from "../context.ts";
import { completeReport, type Site } from "../job-report.ts";
import type { NodeRecord, PassReport, StepRecord, WorkRecord } from "../store.ts";

export function observationRoutes({ store, clock, site }: Manager): RpcHandlers<typeof ObservationService, Caller> {
  return {
    async reportPass(request) {
      const now = clock.now();
      const answer = await store.reportPass(passOf(request, site), now);
      const { heimdallJobIds, confirmedStepKeys, isTaken } = answer;
      return {
        heimdallJobIds: [...heimdallJobIds],
        confirmedStepKeys: [...confirmedStepKeys],
        ignored: !isTaken,
        heardAt: instantToWire(now),
      };
    },

    async acquireLease(request) {
      const cluster = identifier("cluster", request.cluster);
      const lease = await store.acquireLease(
        cluster,
        identifier("holder", request.holder),
        limits.leaseMs,
        clock.now(),
      );
      return {
        held: lease.isHeld,
        term: BigInt(lease.term),
        expiresAt: instantToWire(lease.expiresAt),
        holder: lease.holder,
      };
    },

    async listWork(request) {
      const now = clock.now();
      const work = await store.listWork(identifier("cluster", request.cluster), now);
      return { work: work.map((record) => workToWire(record, now)) };
    },
  };
}

function passOf(request: ReportPassRequest, site: Site): PassReport {
  const cluster = identifier("cluster", request.cluster);
  const pass = {
    cluster,
    leaseTerm: wholeNumber("leaseTerm", request.leaseTerm),
    takenAt: instantFromWire("takenAt", request.takenAt),
    ...present({ takenAfter: optionalInstantFromWire("takenAfter", request.takenAfter) }),
    ...(request.reportId === "" ? {} : { reportId: identifier("reportId", request.reportId) }),
    mode: request.mode,
    partitions: request.partitions,
    ...(request.slurmVersion === ""
      ? {}
      : { slurm: { version: request.slurmVersion, standing: request.slurmStanding } }),
    ...(request.sac === undefined ? {} : { sac: sacReportFromWire("sac", request.sac) }),
    steps: request.steps.map((step, i) => stepFromWire(`steps[${i}]`, step)),
  };
  if (request.unavailable !== "")
    return { ...pass, unavailable: request.unavailable, complete: false, changed: [], seen: [], nodes: [] };
  return {
    ...pass,
    complete: request.complete,
    changed: request.changed.map((job, i) => completeReport(jobReportFromWire(job, `changed[${i}].`), site, cluster)),
    seen: request.seen.map(({ jobId, attemptIndex }) => ({ jobId, attemptIndex })),
    nodes: request.nodes.map(nodeFromWire),
  };
}

/** Thousands in a message. */
function nodeFromWire({ name, state, eligible, partitions, features, reservations, hardware }: WireNode): NodeRecord {
  return {
    name,
    state,
    isEligible: eligible,
    partitions,
    ...(features === undefined ? {} : { features: features.names }),
    ...(reservations === undefined ? {} : { reservations: reservations.names }),
    ...(hardware === undefined ? {} : { hardware: hardwareOf(hardware) }),
  };
}

const hardwareOf = ({ cpus, memoryMb, gres }: WireHardware): NodeHardware => ({ cpus, memoryMb, gres });

function stepFromWire(field: string, step: StepReport): StepRecord {
  return {
    key: identifier(`${field}.key`, step.key),
    heimdallJobId: step.heimdallJobId,
    jobId: step.jobId,
    attemptIndex: step.attemptIndex,
    generation: wholeNumber(`${field}.generation`, step.generation),
    action: step.action,
    begunAt: instantFromWire(`${field}.begunAt`, step.begunAt),
    ...present({ endedAt: optionalInstantFromWire(`${field}.endedAt`, step.endedAt) }),
    outcome: step.outcome,
    detail: step.detail,
  };
}

function workToWire(work: WorkRecord, now: number) {
  const { advice, source, logEnded, isDecided } = work;
  const slurm = slurmFactsOf(source);
  const policy = source.coverage.kind === "covered" ? source.coverage.policy : undefined;
  return {
    advice: adviceToWire(advice, now),
    sourceSubmitTime: instantToWire(typeof slurm["submitTime"] === "number" ? slurm["submitTime"] : 0),
    sourceSluid: typeof slurm["sluid"] === "string" ? slurm["sluid"] : "",
    startDelayMs: BigInt(advice.startDelayMs),
    authorExclusions: [...(policy?.excludeNodes ?? [])],
    authorInclusions: [...(policy?.includeNodes ?? [])],
    exclusions: advice.exclusions.map(({ node, reason, confidence, expiresAt }) => ({
      node,
      reason,
      confidence,
      expiresAt: instantToWire(expiresAt),
    })),
    logEnded,
    withdrawn: advice.withdrawnAt !== undefined,
    sourcePartition: typeof slurm["partition"] === "string" ? slurm["partition"] : "",
    undecided: !isDecided || isUnheard(work, now),
    chain: policy?.autoResumeMode === "singleton_dependency",
    sourceDependency: typeof slurm["dependency"] === "string" ? slurm["dependency"] : "",
  };
}

/**
 * What ends a program that runs was decided because its log fell silent. Nobody has read it for a while, and the program may have gone
 * on: where the gate was closed since, or the cap on restarts reached, the Advice may be hours old. What a person orders needs no log.
 */
export function isUnheard({ advice, source, logHeardAt }: WorkRecord, now: Instant): boolean {
  if (source.status !== "RUNNING" || advice.because === ordered || logHeardAt === undefined) return false;
  return Math.abs(now - logHeardAt) > limits.workHeardAgeMs; // Our own clock may have been set back since.
}
