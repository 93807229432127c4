/**
 * policy-keys: the keys of a policy, their defaults, and a Policy's values under those keys.
 *
 * Keeps   `policyValues` names every field of a Policy: reading them back gives the same Policy (a property test).
 * Source  design §5; docs/job-authors.md shows this table.
 */
import { compressHostlist } from "../fact/hostlist.ts";
import type { JsonValue, Policy } from "../nouns.ts";

/** Every wish but the mode, which has no default. */
export type PolicyDefaults = Omit<Policy, "autoResumeMode">;

/** What holds for a key that neither the author nor the site gave. The mode has no default: without it nothing is covered. */
export const policyDefaults = {
  maxRequeueTimes: 3,
  maxFailuresWithoutProgress: 3,
  charge: "all",
  requeueOnCompletion: false,
  anomalyDetection: {
    logBasedCrash: true,
    logBasedTimeout: true,
    pretrainingTimeoutSeconds: 3600,
    trainingLoopTimeoutSeconds: 1800,
    slowdown: false,
  },
  dagDependencies: [],
  dagAction: "terminate_dependents",
  excludeNodes: [],
  includeNodes: [],
  enableNvrx: false,
} as const satisfies PolicyDefaults;

/** Every key of the comment, in the order in which one would explain them; undefined for one that is not given. */
export function policyValues(policy: Policy): readonly (readonly [key: string, value: JsonValue | undefined])[] {
  const { anomalyDetection: detection } = policy;
  return [
    ["auto_resume_mode", policy.autoResumeMode],
    ["workflow_id", policy.workflowId],
    ["workflow_name", policy.workflowName],
    ["max_requeue_times", policy.maxRequeueTimes],
    ["max_failures_without_progress", policy.maxFailuresWithoutProgress],
    ["max_recovery_hours", policy.maxRecoveryHours],
    ["charge", policy.charge],
    ["requeue_on_completion", policy.requeueOnCompletion],
    ["anomaly_detection.log_based_crash", detection.logBasedCrash],
    ["anomaly_detection.log_based_timeout", detection.logBasedTimeout],
    ["anomaly_detection.log_based_timeout_pretraining", detection.pretrainingTimeoutSeconds],
    ["anomaly_detection.log_based_timeout_trainingloop", detection.trainingLoopTimeoutSeconds],
    ["anomaly_detection.slowdown", detection.slowdown],
    ["log_paths", policy.logPaths],
    ["log_file_paths_shared_across_attempts", policy.logFilePathsSharedAcrossAttempts],
    ["dag_dependencies", policy.dagDependencies.map(dependencyValue)],
    ["dag_action", policy.dagAction],
    ["environment", policy.environment],
    ["exclude_nodes", hostlists(policy.excludeNodes)],
    ["include_nodes", hostlists(policy.includeNodes)],
    ["enable_nvrx", policy.enableNvrx],
  ];
}

function dependencyValue({ jobId, jobName, trigger }: Policy["dagDependencies"][number]): JsonValue {
  const parent = jobId === undefined ? { job_name: jobName ?? "" } : { job_id: jobId };
  return { ...parent, trigger };
}

const hostlists = (names: readonly string[]): JsonValue => (names.length === 0 ? [] : [compressHostlist(names)]);
