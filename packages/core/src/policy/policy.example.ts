/** Policies for tests: every wish given, and any wishes at all. */
import fc from "fast-check";
import { compressHostlist, expandHostlist } from "../fact/hostlist.ts";
import type { JsonObject, JsonValue, Policy } from "../nouns.ts";
import { policyDefaults, policyValues } from "./policy-keys.ts";
import { autoResumeModes, charges, dagActions, triggers } from "./read-policy.ts";

export const defaultPolicy: Policy = { autoResumeMode: "requeue", ...policyDefaults };

/** No field has its default. */
export const fullPolicy: Policy = {
  autoResumeMode: "singleton_dependency",
  workflowId: "w-7",
  workflowName: "llama",
  maxRequeueTimes: 7,
  maxFailuresWithoutProgress: 2,
  maxRecoveryHours: 12.5,
  charge: "workload",
  requeueOnCompletion: true,
  anomalyDetection: {
    logBasedCrash: false,
    logBasedTimeout: false,
    pretrainingTimeoutSeconds: 7200,
    trainingLoopTimeoutSeconds: 90.5,
    slowdown: true,
  },
  logPaths: ["logs/%x-%j.out", "/shared/rank-*.log"],
  logFilePathsSharedAcrossAttempts: true,
  dagDependencies: [
    { jobId: "95_1", trigger: "on_success" },
    { jobName: "prepare", trigger: "on_completion" },
  ],
  dagAction: "keep_held",
  environment: "prod",
  excludeNodes: ["n1", "n3", "n4", "n5"],
  includeNodes: ["gpu01"],
  enableNvrx: true,
};

const text = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }).filter((some) => some.trim() !== "");
const seconds = fc.integer({ min: 1, max: 1e6 }).map((tenths) => tenths / 10);
/** In the order of their short form. */
const nodes = fc
  .array(fc.stringMatching(/^[a-z]{1,3}\d{0,3}$/), { maxLength: 5 })
  .map((names) => expandHostlist(compressHostlist(names)) ?? []);
const dependency = fc.oneof(
  fc.record({ jobId: text, trigger: fc.constantFrom(...triggers) }),
  fc.record({ jobName: text, trigger: fc.constantFrom(...triggers) }),
);

/** Any policy for any server without an environment name. */
export const anyPolicy: fc.Arbitrary<Policy> = fc.record(
  {
    autoResumeMode: fc.constantFrom(...autoResumeModes),
    workflowId: text,
    workflowName: text,
    maxRequeueTimes: fc.integer({ min: 0, max: 1000 }),
    maxFailuresWithoutProgress: fc.integer({ min: 1, max: 100 }),
    maxRecoveryHours: seconds,
    charge: fc.constantFrom(...charges),
    requeueOnCompletion: fc.boolean(),
    anomalyDetection: fc.record({
      logBasedCrash: fc.boolean(),
      logBasedTimeout: fc.boolean(),
      pretrainingTimeoutSeconds: seconds,
      trainingLoopTimeoutSeconds: seconds,
      slowdown: fc.boolean(),
    }),
    logPaths: fc.array(text, { minLength: 1, maxLength: 3 }),
    logFilePathsSharedAcrossAttempts: fc.boolean(),
    dagDependencies: fc.array(dependency, { maxLength: 3 }),
    dagAction: fc.constantFrom(...dagActions),
    excludeNodes: nodes,
    includeNodes: nodes,
    enableNvrx: fc.boolean(),
  },
  {
    requiredKeys: [
      "autoResumeMode",
      "maxRequeueTimes",
      "maxFailuresWithoutProgress",
      "charge",
      "requeueOnCompletion",
      "anomalyDetection",
      "dagDependencies",
      "dagAction",
      "excludeNodes",
      "includeNodes",
      "enableNvrx",
    ],
  },
);

/** The comment that says all of it. */
export function commentOf(policy: Policy, beside: JsonObject = {}): string {
  const recovery: Record<string, JsonValue> = {};
  const detection: Record<string, JsonValue> = {};
  for (const [key, value] of policyValues(policy)) {
    if (value === undefined) continue;
    const [, inner] = key.split("anomaly_detection.");
    if (inner === undefined) recovery[key] = value;
    else detection[inner] = value;
  }
  return JSON.stringify({ ...beside, recovery: { ...recovery, anomaly_detection: detection } });
}
