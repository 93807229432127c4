/**
 * from-recovery-config: the same Policy on the wire, `heimdall.v1.JobRecoveryConfig` in its JSON form.
 *
 * Takes        the object as reported: lowerCamelCase or snake_case, enums by name. `additionalProperties` is the older home of
 *              two of its fields; where both are set, `recoveryConfig` wins.
 * Gives        a Coverage as from a comment, without positions; and back, `toRecoveryConfig`.
 * Pure, total  What the wire's type cannot say (our own keys, node lists, log paths) has its default here.
 * Source       api.md §2.
 */
import type { Coverage, JsonObject, Policy } from "../nouns.ts";
import { nodeOf, type ObjectNode } from "./json-reader.ts";
import type { Dialect } from "./object-reader.ts";
import { readPolicy, type PolicyReading } from "./read-policy.ts";
import type { Server } from "./recovery-comment.ts";
import { noSiteRules, type SiteRules } from "./site-policy.ts";

export interface AdditionalProperties {
  readonly maxRequeueTimes?: number | undefined;
  readonly enableNvrx?: boolean | undefined;
}

export function fromRecoveryConfig(
  config: JsonObject,
  additional: AdditionalProperties = {},
  server: Server = {},
): Coverage {
  return readRecoveryConfig(config, additional, server, noSiteRules).coverage;
}

export function readRecoveryConfig(
  config: JsonObject,
  additional: AdditionalProperties,
  server: Server,
  site: SiteRules,
): PolicyReading {
  const { maxRequeueTimes, enableNvrx } = additional;
  const lacks = (...spellings: string[]): boolean => spellings.every((key) => (config[key] ?? null) === null);
  const node = nodeOf({
    ...config,
    ...(maxRequeueTimes !== undefined && lacks("maxRequeueTimes", "max_requeue_times") ? { maxRequeueTimes } : {}),
    ...(enableNvrx !== undefined && lacks("enableNvrx", "enable_nvrx") ? { enableNvrx } : {}),
  });
  // An object gives an object.
  return readPolicy(node as ObjectNode, {
    path: "recoveryConfig",
    dialect: wireDialect,
    environment: server.environment,
    site,
  });
}

/** What SAC publishes. Optional wishes that were not given are left out. */
export function toRecoveryConfig(policy: Policy): JsonObject {
  const { anomalyDetection: detection, environment, logFilePathsSharedAcrossAttempts } = policy;
  return {
    autoResumeMode: spellChoice("auto_resume_mode", policy.autoResumeMode),
    maxRequeueTimes: policy.maxRequeueTimes,
    requeueOnCompletion: policy.requeueOnCompletion,
    anomalyDetectionConfig: {
      logBasedCrashEnabled: detection.logBasedCrash,
      logBasedTimeoutEnabled: detection.logBasedTimeout,
      logBasedTimeoutThresholdPretraining: detection.pretrainingTimeoutSeconds,
      logBasedTimeoutThresholdTrainingloop: detection.trainingLoopTimeoutSeconds,
    },
    dagDependencies: policy.dagDependencies.map(({ jobId, jobName, trigger }) => ({
      ...(jobId === undefined ? {} : { jobId }),
      ...(jobName === undefined ? {} : { jobName }),
      trigger: spellChoice("trigger", trigger),
    })),
    dagAction: spellChoice("dag_action", policy.dagAction),
    ...(environment === undefined ? {} : { environment }),
    ...(logFilePathsSharedAcrossAttempts === undefined ? {} : { logFilePathsSharedAcrossAttempts }),
  };
}

/** Our keys that the wire has, and their snake_case names there. */
const wireNames: ReadonlyMap<string, string> = new Map([
  ["auto_resume_mode", "auto_resume_mode"],
  ["max_requeue_times", "max_requeue_times"],
  ["requeue_on_completion", "requeue_on_completion"],
  ["anomaly_detection", "anomaly_detection_config"],
  ["log_based_crash", "log_based_crash_enabled"],
  ["log_based_timeout", "log_based_timeout_enabled"],
  ["log_based_timeout_pretraining", "log_based_timeout_threshold_pretraining"],
  ["log_based_timeout_trainingloop", "log_based_timeout_threshold_trainingloop"],
  ["dag_dependencies", "dag_dependencies"],
  ["job_id", "job_id"],
  ["job_name", "job_name"],
  ["trigger", "trigger"],
  ["dag_action", "dag_action"],
  ["environment", "environment"],
  ["log_file_paths_shared_across_attempts", "log_file_paths_shared_across_attempts"],
  ["enable_nvrx", "enable_nvrx"],
]);

const enumPrefixes: ReadonlyMap<string, string> = new Map([
  ["auto_resume_mode", "AUTO_RESUME_MODE_"],
  ["trigger", "TRIGGER_CONDITION_"],
  ["dag_action", "DAG_ACTION_"],
]);

const unspecified: ReadonlySet<string> = new Set([...enumPrefixes.values()].map((prefix) => `${prefix}UNSPECIFIED`));

const wireDialect: Dialect = {
  spellings: (key) => {
    const name = wireNames.get(key);
    return name === undefined ? [] : [...new Set([camelCase(name), name])];
  },
  spellChoice,
  isUnset: (node) => node.kind === "null" || (node.kind === "string" && unspecified.has(node.value)),
  hasPositions: false,
};

function spellChoice(key: string, choice: string): string {
  return (enumPrefixes.get(key) ?? "") + choice.toUpperCase();
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
