/**
 * recovery-config: `heimdall.v1.JobRecoveryConfig` as a message, and as the JSON that is stored.
 *
 * Pure    `…FromWire` refuses an enum number that we do not know. `…ToWire` is total: a stored value that does not
 *         fit any more is left out, since a Job must stay visible.
 */
import { create, fromJson, type JsonObject as ProtobufJson, toJson } from "@bufbuild/protobuf";
import { madeOnce } from "@reprise/core/made-once.ts";
import type { JsonObject, Policy } from "@reprise/core/nouns.ts";
import { toRecoveryConfig } from "@reprise/core/policy/from-recovery-config.ts";
import {
  AutoResumeModeSchema,
  DagActionSchema,
  type JobRecoveryConfig,
  JobRecoveryConfigSchema,
  TriggerConditionSchema,
} from "../gen/heimdall/v1/heimdall_pb.ts";
import { freeJson, invalid } from "./check.ts";

export function recoveryConfigFromWire(field: string, config: JobRecoveryConfig | undefined): JsonObject | undefined {
  if (config === undefined) return undefined;
  known(`${field}.autoResumeMode`, AutoResumeModeSchema.value, config.autoResumeMode);
  known(`${field}.dagAction`, DagActionSchema.value, config.dagAction);
  for (const [i, { trigger }] of config.dagDependencies.entries()) {
    known(`${field}.dagDependencies[${i}].trigger`, TriggerConditionSchema.value, trigger);
  }
  return freeJson(toJson(JobRecoveryConfigSchema, config) as JsonObject);
}

function known(field: string, values: Readonly<Record<number, unknown>>, value: number | undefined): void {
  if (value !== undefined && values[value] === undefined) throw invalid(field, `${value} is not a value we know`);
}

export function recoveryConfigToWire(stored: JsonObject): JobRecoveryConfig {
  try {
    return fromJson(JobRecoveryConfigSchema, stored as ProtobufJson, { ignoreUnknownFields: true });
  } catch {
    return create(JobRecoveryConfigSchema);
  }
}

/** What of a policy the documented API can say; the rest stands in `schedulerMetadata.recovery`. */
export const recoveryConfigOf = madeOnce(
  // Every attempt of a job, and each task of an array, has the same policy.
  (policy: Policy): JobRecoveryConfig => fromJson(JobRecoveryConfigSchema, toRecoveryConfig(policy) as ProtobufJson),
);
