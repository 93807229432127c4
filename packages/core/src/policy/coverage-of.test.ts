/**
 * Goal    the comment and the wire say the same policy in their own words, and it is clear which of them counts.
 * Method  tables of both sources; the round trip through the wire as a property.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, Policy } from "../nouns.ts";
import { coverageOf, type PolicySources } from "./coverage-of.ts";
import { effectivePolicy } from "./effective-policy.ts";
import { fromRecoveryConfig, toRecoveryConfig, type AdditionalProperties } from "./from-recovery-config.ts";
import { nearestName } from "./nearest-name.ts";
import { policyDefaults } from "./policy-keys.ts";
import { anyPolicy, commentOf, defaultPolicy, fullPolicy } from "./policy.example.ts";

const requeue: JsonObject = { autoResumeMode: "AUTO_RESUME_MODE_REQUEUE" };

describe("recoveryConfig", () => {
  test("says every wish that the wire has, under the wire's names", () => {
    expect(toRecoveryConfig(fullPolicy)).toEqual({
      autoResumeMode: "AUTO_RESUME_MODE_SINGLETON_DEPENDENCY",
      maxRequeueTimes: 7,
      requeueOnCompletion: true,
      anomalyDetectionConfig: {
        logBasedCrashEnabled: false,
        logBasedTimeoutEnabled: false,
        logBasedTimeoutThresholdPretraining: 7200,
        logBasedTimeoutThresholdTrainingloop: 90.5,
      },
      dagDependencies: [
        { jobId: "95_1", trigger: "TRIGGER_CONDITION_ON_SUCCESS" },
        { jobName: "prepare", trigger: "TRIGGER_CONDITION_ON_COMPLETION" },
      ],
      dagAction: "DAG_ACTION_KEEP_HELD",
      environment: "prod",
      logFilePathsSharedAcrossAttempts: true,
    });
  });

  test("reads back as the policy it was made of, except for what the wire cannot say", () => {
    fc.assert(
      fc.property(anyPolicy, (policy) => {
        const { workflowId: _1, workflowName: _2, maxRecoveryHours: _3, logPaths: _4, ...sayable } = policy;
        const { maxFailuresWithoutProgress, charge, excludeNodes, includeNodes, enableNvrx, anomalyDetection } =
          policyDefaults;
        const detection = { ...policy.anomalyDetection, slowdown: anomalyDetection.slowdown };
        expect(fromRecoveryConfig(toRecoveryConfig(policy))).toEqual({
          kind: "covered",
          policy: {
            ...sayable,
            maxFailuresWithoutProgress,
            charge,
            excludeNodes,
            includeNodes,
            enableNvrx,
            anomalyDetection: detection,
          },
          warnings: [],
        });
      }),
    );
  });

  // biome-ignore format: a table
  const readings: [what: string, config: JsonObject, additional: AdditionalProperties, change: Partial<Policy>][] = [
    ["snake_case", { auto_resume_mode: "AUTO_RESUME_MODE_REQUEUE", max_requeue_times: 5 }, {}, { maxRequeueTimes: 5 }],
    ["null is unset", { ...requeue, maxRequeueTimes: null }, {}, {}],
    ["UNSPECIFIED is unset", { ...requeue, dagAction: "DAG_ACTION_UNSPECIFIED" }, {}, {}],
    ["the older home of two fields", requeue, { maxRequeueTimes: 9, enableNvrx: true }, { maxRequeueTimes: 9, enableNvrx: true }],
    ["recoveryConfig wins over it", { ...requeue, maxRequeueTimes: 5 }, { maxRequeueTimes: 9 }, { maxRequeueTimes: 5 }],
    ["also when it is in snake_case", { ...requeue, max_requeue_times: 5 }, { maxRequeueTimes: 9 }, { maxRequeueTimes: 5 }],
  ];
  test.each(readings)("%s", (_what, config, additional, change) => {
    expect(fromRecoveryConfig(config, additional)).toEqual({
      kind: "covered",
      policy: { ...defaultPolicy, ...change },
      warnings: [],
    });
  });

  // biome-ignore format: a table
  const refusals: [what: string, config: JsonObject, because: string][] = [
    ["no mode", {}, "recoveryConfig.autoResumeMode is missing: without it no job is restarted."],
    ["an UNSPECIFIED mode", { autoResumeMode: "AUTO_RESUME_MODE_UNSPECIFIED" }, "recoveryConfig.autoResumeMode is missing: without it no job is restarted."],
    ["the comment's word", { autoResumeMode: "requeue" }, 'recoveryConfig.autoResumeMode is "requeue": expected one of "AUTO_RESUME_MODE_OFF", "AUTO_RESUME_MODE_REQUEUE", "AUTO_RESUME_MODE_SINGLETON_DEPENDENCY".'],
    ["a number out of range", { ...requeue, maxRequeueTimes: 1001 }, "recoveryConfig.maxRequeueTimes is 1001: expected an integer from 0 to 1000."],
    ["a broken detector", { ...requeue, anomalyDetectionConfig: { logBasedTimeoutThresholdPretraining: "NaN" } }, 'recoveryConfig.anomalyDetectionConfig.logBasedTimeoutThresholdPretraining is "NaN": expected a number above 0.'],
    ["a parent without name", { ...requeue, dagDependencies: [{ trigger: "TRIGGER_CONDITION_ON_START" }] }, 'recoveryConfig.dagDependencies[0] is {"trigger":"TRIGGER_CONDITION_ON_START"}: expected an object with "jobId" or "jobName".'],
    ["another environment", { ...requeue, environment: "prod" }, 'recoveryConfig.environment is "prod" and this server has no environment name: the job is observed only.'],
  ];
  test.each(refusals)("is not covered, without a position: %s", (_what, config, because) => {
    expect(fromRecoveryConfig(config)).toEqual({ kind: "not-covered", because });
  });

  test("any object gets an answer, and is covered only with a valid mode", () => {
    const keys = fc.constantFrom(...Object.keys(toRecoveryConfig(fullPolicy)), "enableNvrx", "x");
    const config = fc.dictionary(
      keys,
      fc.oneof(fc.jsonValue(), fc.constantFrom("AUTO_RESUME_MODE_REQUEUE", "DAG_ACTION_KEEP_HELD")),
    );
    fc.assert(
      fc.property(config, (some) => {
        const coverage = fromRecoveryConfig(some as JsonObject);
        if (coverage.kind === "covered") expect(some["autoResumeMode"]).toBe("AUTO_RESUME_MODE_REQUEUE");
      }),
      { numRuns: 500 },
    );
  });
});

// biome-ignore format: a table
const sources: [what: string, sources: PolicySources, answer: string][] = [
  ["nothing", {}, "The job has no comment"],
  ["a comment", { comment: commentOf(defaultPolicy) }, "covered 3"],
  ["a recoveryConfig", { recoveryConfig: { ...requeue, maxRequeueTimes: 8 } }, "covered 8"],
  ["both: the comment", { comment: commentOf(defaultPolicy), recoveryConfig: { ...requeue, maxRequeueTimes: 8 } }, "covered 3"],
  ["both: the comment also when it is broken", { comment: '{"recovery":', recoveryConfig: requeue }, "The comment is not valid JSON"],
  ["both: the comment also when it has no mode", { comment: '{"recovery":{}}', recoveryConfig: requeue }, "recovery.auto_resume_mode is missing"],
  ["somebody's own words and a recoveryConfig", { comment: "my run", recoveryConfig: requeue }, "covered 3"],
  ["another tool's JSON and a recoveryConfig", { comment: '{"team":"x"}', recoveryConfig: requeue }, "covered 3"],
  ["somebody's own words alone", { comment: "my run" }, "The comment is no recovery policy"],
  ["additional properties alone opt nobody in", { additionalProperties: { maxRequeueTimes: 9 } }, "The job has no comment"],
];

test.each(sources)("what counts: %s", (_what, given, answer) => {
  const { comment, ...reported } = given;
  const metadata = comment === undefined ? {} : { schedulerMetadata: { recovery: { comment } } };
  const coverage = coverageOf({ ...reported, ...metadata });
  expect(coverage.kind === "covered" ? `covered ${coverage.policy.maxRequeueTimes}` : coverage.because).toContain(
    answer,
  );
});

test.each<[string, JsonObject]>([
  ["no recovery part", { slurm: {} }],
  ["a recovery part that is no object", { recovery: null }],
  ["a recovery part that is a text", { recovery: "x" }],
  ["a comment that is no text", { recovery: { comment: 7 } }],
])("scheduler metadata without a comment says nothing: %s", (_what, schedulerMetadata) => {
  expect(coverageOf({ schedulerMetadata, recoveryConfig: requeue }).kind).toBe("covered");
});

describe("the effective policy", () => {
  const shown = (given: PolicySources) =>
    Object.entries((effectivePolicy(given) ?? {}) as Record<string, { value: unknown; origin: string }>).map(
      ([key, { value, origin }]) => `${key} ${JSON.stringify(value)} ${origin}`,
    );

  test("shows every key with its value and where that comes from", () => {
    expect(
      shown({
        comment:
          '{"recovery":{"auto_resume_mode":"requeue","anomaly_detection":{"slowdown":true},"exclude_nodes":["n1","n2"]}}',
      }),
    ).toEqual([
      'auto_resume_mode "requeue" comment',
      "workflow_id null default",
      "workflow_name null default",
      "max_requeue_times 3 default",
      "max_failures_without_progress 3 default",
      "max_recovery_hours null default",
      'charge "all" default',
      "requeue_on_completion false default",
      "anomaly_detection.log_based_crash true default",
      "anomaly_detection.log_based_timeout true default",
      "anomaly_detection.log_based_timeout_pretraining 3600 default",
      "anomaly_detection.log_based_timeout_trainingloop 1800 default",
      "anomaly_detection.slowdown true comment",
      "log_paths null default",
      "log_file_paths_shared_across_attempts null default",
      "dag_dependencies [] default",
      'dag_action "terminate_dependents" default',
      "environment null default",
      'exclude_nodes ["n[1-2]"] comment',
      "include_nodes [] default",
      "enable_nvrx false default",
    ]);
  });

  test("names the wire as the origin where it comes from there", () => {
    const rows = shown({ recoveryConfig: { ...requeue, anomalyDetectionConfig: { logBasedCrashEnabled: false } } });
    expect(rows.filter((row) => row.endsWith("recoveryConfig"))).toEqual([
      'auto_resume_mode "requeue" recoveryConfig',
      "anomaly_detection.log_based_crash false recoveryConfig",
    ]);
  });

  test("of a job that is not covered there is none", () =>
    expect(effectivePolicy({ comment: "my run" })).toBeUndefined());
});

// biome-ignore format: a table
test.each([
  ["max_requeue_tmes", "max_requeue_times"],
  ["MAX_REQUEUE_TIMES", "max_requeue_times"],
  ["requeue_times", "max_requeue_times"],
  ["restart_times", undefined],
  ["chrage", "charge"],
  ["x", undefined],
  ["", undefined],
])("somebody who writes %j meant %j", (written, meant) => {
  expect(nearestName(written, ["max_requeue_times", "charge", "environment"])).toBe(meant);
});
