/**
 * recovery-config: `heimdall.v1.JobRecoveryConfig` as a message, and as the JSON that is stored.
 *
 * Pure    `…FromWire` refuses an enum number that we do not know. `…ToWire` is total: a stored value that does not
 *         fit any more is left out, since a Job must stay visible.
 */
import { create, fromJson, type JsonObject as ProtobufJson, toJson } from "@bufbuild/protobuf";
import type { DagDependency, JsonObject, Policy } from "@reprise/core/nouns.ts";
import {
  AutoResumeMode,
  AutoResumeModeSchema,
  DagAction,
  DagActionSchema,
  type JobRecoveryConfig,
  JobRecoveryConfigSchema,
  TriggerCondition,
  TriggerConditionSchema,
} from "../gen/heimdall/v1/heimdall_pb.ts";
import { freeJson, invalid, present } from "./check.ts";

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

const modes: Readonly<Record<Policy["autoResumeMode"], AutoResumeMode>> = {
  off: AutoResumeMode.OFF,
  requeue: AutoResumeMode.REQUEUE,
  singleton_dependency: AutoResumeMode.SINGLETON_DEPENDENCY,
};
const triggers: Readonly<Record<DagDependency["trigger"], TriggerCondition>> = {
  on_success: TriggerCondition.ON_SUCCESS,
  on_failure: TriggerCondition.ON_FAILURE,
  on_completion: TriggerCondition.ON_COMPLETION,
  on_start: TriggerCondition.ON_START,
};
const actions: Readonly<Record<Policy["dagAction"], DagAction>> = {
  terminate_dependents: DagAction.TERMINATE_DEPENDENTS,
  keep_held: DagAction.KEEP_HELD,
};

/** What of a policy the documented API can say; the rest stands in `schedulerMetadata.recovery`. */
export function recoveryConfigOf(policy: Policy): JobRecoveryConfig {
  const { anomalyDetection: detect } = policy;
  return create(JobRecoveryConfigSchema, {
    autoResumeMode: modes[policy.autoResumeMode],
    maxRequeueTimes: policy.maxRequeueTimes,
    requeueOnCompletion: policy.requeueOnCompletion,
    anomalyDetectionConfig: {
      logBasedCrashEnabled: detect.logBasedCrash,
      logBasedTimeoutEnabled: detect.logBasedTimeout,
      logBasedTimeoutThresholdPretraining: detect.pretrainingTimeoutSeconds,
      logBasedTimeoutThresholdTrainingloop: detect.trainingLoopTimeoutSeconds,
    },
    dagDependencies: policy.dagDependencies.map(({ trigger, ...parent }) => ({
      ...parent,
      trigger: triggers[trigger],
    })),
    dagAction: actions[policy.dagAction],
    ...present({
      environment: policy.environment,
      logFilePathsSharedAcrossAttempts: policy.logFilePathsSharedAcrossAttempts,
    }),
  });
}
