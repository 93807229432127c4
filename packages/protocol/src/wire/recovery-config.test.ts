/**
 * Goal    a policy reaches the wire complete, and what is stored never makes a Job invisible.
 * Method  whole values.
 */
import { toJson } from "@bufbuild/protobuf";
import type { Policy } from "@reprise/core/nouns.ts";
import { describe, expect, test } from "vitest";
import { JobRecoveryConfigSchema } from "../gen/heimdall/v1/heimdall_pb.ts";
import { recoveryConfigFromWire, recoveryConfigOf, recoveryConfigToWire } from "./recovery-config.ts";

describe("the recovery configuration", () => {
  const policy: Policy = {
    autoResumeMode: "singleton_dependency",
    maxRequeueTimes: 0,
    maxFailuresWithoutProgress: 3,
    charge: "all",
    requeueOnCompletion: false,
    anomalyDetection: {
      logBasedCrash: true,
      logBasedTimeout: false,
      pretrainingTimeoutSeconds: 3600,
      trainingLoopTimeoutSeconds: 0.5,
      slowdown: false,
    },
    dagDependencies: [{ jobName: "prepare", trigger: "on_completion" }],
    dagAction: "keep_held",
    excludeNodes: [],
    includeNodes: [],
    enableNvrx: false,
  };

  test("of a policy says all that the documented API can say, and is stored and shown unchanged", () => {
    const stored = recoveryConfigFromWire("recoveryConfig", recoveryConfigOf(policy));
    expect(stored).toEqual({
      autoResumeMode: "AUTO_RESUME_MODE_SINGLETON_DEPENDENCY",
      maxRequeueTimes: 0,
      requeueOnCompletion: false,
      anomalyDetectionConfig: {
        logBasedCrashEnabled: true,
        logBasedTimeoutEnabled: false,
        logBasedTimeoutThresholdPretraining: 3600,
        logBasedTimeoutThresholdTrainingloop: 0.5,
      },
      dagDependencies: [{ jobName: "prepare", trigger: "TRIGGER_CONDITION_ON_COMPLETION" }],
      dagAction: "DAG_ACTION_KEEP_HELD",
    });
    expect(toJson(JobRecoveryConfigSchema, recoveryConfigToWire(stored ?? {}))).toEqual(stored);
  });

  test("that was stored in a form we do not know hides the field, not the job", () => {
    expect(toJson(JobRecoveryConfigSchema, recoveryConfigToWire({ autoResumeMode: "NEWER" }))).toEqual({});
    expect(toJson(JobRecoveryConfigSchema, recoveryConfigToWire({ maxRequeueTimes: 2, newer: 1 }))).toEqual({
      maxRequeueTimes: 2,
    });
  });
});
