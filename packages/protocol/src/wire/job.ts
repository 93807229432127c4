/**
 * job: one execution attempt on the wire.
 *
 * In the loop   Observation → **CreateOrUpdateJobRequest → report** → store; store → **Job** → whoever asks
 * Pure          Refuses bad input with its field named.
 * Keeps         an absent field and an empty list stay absent: a late, partial report must not erase (api.md §4).
 */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { limits } from "@reprise/core/limits.ts";
import type { AttemptRecord, Instant, JobStatus, JsonObject, JsonValue } from "@reprise/core/nouns.ts";
import { type CreateOrUpdateJobRequest, type Job, JobSchema } from "../gen/heimdall/v1/heimdall_pb.ts";
import * as check from "./check.ts";
import { jobStatusFromWire, jobStatusToWire } from "./enums.ts";
import { instantFromJson, instantToWire } from "./instant.ts";
import { recoveryConfigFromWire, recoveryConfigToWire } from "./recovery-config.ts";

/** What a request says, checked. The server adds what only it knows: cluster where absent, jmState, coverage. */
export interface WireJobReport {
  /** `schedulerMetadata.slurm.cluster`. */
  readonly cluster?: string;
  /** In lower case. */
  readonly heimdallJobId?: string;
  readonly jobId?: string;
  readonly attemptIndex: number;
  readonly workflowId: string;
  readonly jobName?: string;
  readonly nodes?: readonly string[];
  readonly gpuCountPerNode?: number;
  readonly nodeConstraints?: { readonly exclusions: readonly string[]; readonly inclusions: readonly string[] };
  readonly additionalProperties?: { readonly maxRequeueTimes?: number; readonly enableNvrx?: boolean };
  readonly status?: JobStatus;
  readonly schedulerMetadata?: JsonObject;
  readonly recoveryConfig?: JsonObject;
  /** These four from `schedulerMetadata.slurm`. */
  readonly submitAt?: Instant;
  readonly user?: string;
  readonly command?: string;
  readonly sluid?: string;
}

/** @param prefix Where the request stands in a larger one, e.g. `changed[3].`. */
export function jobReportFromWire(request: CreateOrUpdateJobRequest, prefix = ""): WireJobReport {
  const workflowId = check.identifier(`${prefix}workflowId`, request.workflowId);
  const given = request.heimdallJobId === "" ? undefined : request.heimdallJobId;
  const heimdallJobId = given === undefined ? undefined : check.uuid(`${prefix}heimdallJobId`, given);
  const jobId = check.optionalIdentifier(`${prefix}jobId`, request.jobId);
  if (heimdallJobId === undefined && jobId === undefined) {
    throw check.invalid(`${prefix}jobId`, "is required where heimdallJobId is not given");
  }
  const { schedulerMetadata } = request;
  const metadata =
    schedulerMetadata === undefined ? undefined : check.metadata(`${prefix}schedulerMetadata`, schedulerMetadata);
  return {
    workflowId,
    attemptIndex: check.attemptIndex(`${prefix}attemptIndex`, request.attemptIndex),
    ...check.present({
      heimdallJobId,
      jobId,
      jobName: request.jobName === undefined || request.jobName === "" ? undefined : check.freeText(request.jobName),
      nodes: listOrKept(`${prefix}allocatedNodes`, request.allocatedNodes),
      gpuCountPerNode: countOf(`${prefix}gpuCountPerNode`, request.gpuCountPerNode),
      nodeConstraints: constraintsFromWire(`${prefix}nodeConstraints`, request.nodeConstraints),
      additionalProperties: propertiesFromWire(`${prefix}additionalProperties`, request.additionalProperties),
      status: jobStatusFromWire(`${prefix}state`, request.state),
      schedulerMetadata: metadata,
      recoveryConfig: recoveryConfigFromWire(`${prefix}recoveryConfig`, request.recoveryConfig),
    }),
    ...slurmParts(`${prefix}schedulerMetadata.slurm`, metadata?.["slurm"]),
  };
}

const listOrKept = (field: string, names: readonly string[]) =>
  names.length === 0 ? undefined : check.nodeNames(field, names);
const countOf = (field: string, count: number | undefined) =>
  count === undefined ? undefined : check.wholeNumber(field, count);

function constraintsFromWire(
  field: string,
  wire: CreateOrUpdateJobRequest["nodeConstraints"],
): WireJobReport["nodeConstraints"] {
  if (wire === undefined || (wire.exclusions.length === 0 && wire.inclusions.length === 0)) return undefined;
  return {
    exclusions: check.nodeNames(`${field}.exclusions`, wire.exclusions),
    inclusions: check.nodeNames(`${field}.inclusions`, wire.inclusions),
  };
}

function propertiesFromWire(field: string, wire: CreateOrUpdateJobRequest["additionalProperties"]) {
  if (wire === undefined) return undefined;
  return check.present({
    maxRequeueTimes: countOf(`${field}.maxRequeueTimes`, wire.maxRequeueTimes),
    enableNvrx: wire.enableNvrx,
  });
}

function slurmParts(field: string, slurm: JsonValue | undefined) {
  if (typeof slurm !== "object" || slurm === null || Array.isArray(slurm)) return {};
  const facts = slurm as JsonObject;
  const text = (name: string) => (typeof facts[name] === "string" && facts[name] !== "" ? facts[name] : undefined);
  return check.present({
    cluster: check.optionalIdentifier(`${field}.cluster`, text("cluster")),
    submitAt: instantFromJson(`${field}.submitTime`, facts["submitTime"]),
    user: text("user"),
    command: text("command"),
    sluid: text("sluid"),
  });
}

export function jobToWire(attempt: AttemptRecord): Job {
  const { nodeConstraints, additionalProperties } = attempt;
  const job: MessageInitShape<typeof JobSchema> = {
    workflowId: attempt.workflowId,
    heimdallJobId: attempt.heimdallJobId,
    jobRunId: `${attempt.jobId}-${attempt.attemptIndex}`,
    jobId: attempt.jobId,
    attemptIndex: attempt.attemptIndex,
    nodes: [...attempt.nodes],
    gpuCountPerNode: attempt.gpuCountPerNode,
    nodeConstraints: { exclusions: [...nodeConstraints.exclusions], inclusions: [...nodeConstraints.inclusions] },
    additionalProperties: additionalProperties && { ...additionalProperties },
    state: jobStatusToWire(attempt.status),
    createdAt: instantToWire(attempt.createdAt),
    lastSeen: instantToWire(attempt.lastSeenAt),
    updatedAt: instantToWire(attempt.updatedAt),
    jobName: attempt.jobName,
    schedulerMetadata: attempt.schedulerMetadata as Job["schedulerMetadata"],
    recoveryConfig: attempt.recoveryConfig && recoveryConfigToWire(attempt.recoveryConfig),
  };
  return create(JobSchema, job);
}

export interface AttemptName {
  readonly jobId: string;
  readonly attemptIndex: number;
}

/** `95_1-0` of `GET /v1/jobs/{heimdallJobId}`: split at the last hyphen, since a job ID may hold one. */
export function attemptNameFromWire(text: string): AttemptName {
  const [, jobId, digits = ""] = /^(.+)-(0|[1-9]\d*)$/s.exec(text) ?? [];
  if (jobId === undefined || Number(digits) > limits.attemptIndexMax) {
    throw check.invalid(
      "heimdallJobId",
      `${check.shown(text)} is not {jobId}-{attemptIndex}; give useHeimdallId=true for a UUID`,
    );
  }
  return { jobId: check.identifier("heimdallJobId", jobId), attemptIndex: Number(digits) };
}
