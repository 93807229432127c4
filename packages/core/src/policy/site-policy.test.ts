/**
 * Goal    a site's defaults and caps hold where its partitions say so, never against the author, and are always shown.
 * Method  tables of site, partition and comment; a property for the caps.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../nouns.ts";
import { coverageOf, type PolicySources, readSources } from "./coverage-of.ts";
import { effectivePolicy } from "./effective-policy.ts";
import { anyPolicy, commentOf } from "./policy.example.ts";
import { type SitePolicy, siteProblems } from "./site-policy.ts";

const site: SitePolicy = {
  defaults: {
    "*": { max_requeue_times: 5, charge: "workload", anomaly_detection: { slowdown: true } },
    long: {
      max_requeue_times: 8,
      anomaly_detection: { log_based_timeout_trainingloop: 900 },
      exclude_nodes: ["n[8-9]"],
    },
  },
  caps: {
    "*": { max_requeue_times: 10, anomaly_detection: { log_based_timeout_trainingloop: 3600 } },
    debug: { max_requeue_times: 1, max_recovery_hours: 2 },
    huge: { max_requeue_times: 100 },
  },
};
const commentOfKeys = (keys: JsonObject) => JSON.stringify({ recovery: { auto_resume_mode: "requeue", ...keys } });

/** `value origin` of one key. */
function shown(key: string, keys: JsonObject, partition?: string, sources: PolicySources = {}): string {
  const given = { comment: commentOfKeys(keys), partition, ...sources };
  const policy = effectivePolicy(given, { sitePolicy: site }) as Record<string, { value: unknown; origin: string }>;
  return `${JSON.stringify(policy[key]?.value)} ${policy[key]?.origin}`;
}

// biome-ignore format: a table
test.each<[what: string, key: string, keys: JsonObject, partition: string | undefined, shown: string]>([
  ["the author's word wins over the site's default", "max_requeue_times", { max_requeue_times: 2 }, "gpu", "2 comment"],
  ["where the author says nothing the site's default holds", "max_requeue_times", {}, "gpu", "5 site default"],
  ["a partition's own default replaces the general one", "max_requeue_times", {}, "long", "8 site default"],
  ["of several partitions the first one's default", "max_requeue_times", {}, "long,gpu", "8 site default"],
  ["defaults of detectors are merged key by key", "anomaly_detection.slowdown", {}, "long", "true site default"],
  ["one of them given leaves the others", "anomaly_detection.log_based_timeout_trainingloop", { anomaly_detection: { slowdown: false } }, "long", "900 site default"],
  ["nodes to avoid", "exclude_nodes", {}, "long", '["n[8-9]"] site default'],
  ["an empty list of the author's is an answer", "exclude_nodes", { exclude_nodes: [] }, "long", "[] comment"],
  ["what nobody says has its default", "max_failures_without_progress", {}, "long", "3 default"],
  ["a cap lowers what the author asked for", "max_requeue_times", { max_requeue_times: 50 }, "gpu", "10 site cap"],
  ["a cap lowers the site's own default", "max_requeue_times", {}, "debug", "1 site cap"],
  ["a cap closes what was open", "max_recovery_hours", {}, "debug", "2 site cap"],
  ["a partition may be allowed more", "max_requeue_times", { max_requeue_times: 50 }, "huge", "50 comment"],
  ["of several partitions the strictest cap", "max_requeue_times", { max_requeue_times: 50 }, "huge,debug", "1 site cap"],
  ["what equals the cap is the author's", "max_requeue_times", { max_requeue_times: 10 }, "gpu", "10 comment"],
  ["without a partition only the general part counts", "max_requeue_times", { max_requeue_times: 50 }, undefined, "10 site cap"],
  ["a partition with a strange name is none", "max_requeue_times", {}, "toString", "5 site default"],
])("%s", (_what, key, keys, partition, expected) => {
  expect(shown(key, keys, partition)).toBe(expected);
});

test("the recoveryConfig of the wire is filled in and capped alike", () => {
  const sources = {
    comment: undefined,
    recoveryConfig: { autoResumeMode: "AUTO_RESUME_MODE_REQUEUE", maxRequeueTimes: 50 },
  };
  expect(shown("max_requeue_times", {}, "gpu", sources)).toBe("10 site cap");
  expect(shown("charge", {}, "gpu", sources)).toBe('"workload" site default');
});

test("a cap that lowers the author's wish says so, in the words in which it was written", () => {
  const keys = { max_requeue_times: 50, anomaly_detection: { log_based_timeout_trainingloop: 9999 } };
  const report = { schedulerMetadata: { recovery: { comment: commentOfKeys(keys) }, slurm: { partition: "gpu" } } };
  expect(coverageOf(report, { sitePolicy: site })).toMatchObject({
    kind: "covered",
    warnings: [
      "recovery.max_requeue_times is 50, and this site allows at most 10 in partition gpu: 10 holds.",
      "recovery.anomaly_detection.log_based_timeout_trainingloop is 9999, and this site allows at most 3600 in partition gpu: 3600 holds.",
    ],
  });
});

test("a site opts nobody in", () => {
  expect(coverageOf({}, { sitePolicy: site }).kind).toBe("not-covered");
  const broken = { schedulerMetadata: { recovery: { comment: '{"recovery":{}}' } } };
  expect(coverageOf(broken, { sitePolicy: site }).kind).toBe("not-covered");
});

test("whatever the author asks for, no cap is exceeded, and nothing else changes", () => {
  fc.assert(
    fc.property(anyPolicy, (policy) => {
      const { coverage } = readSources({ comment: commentOf(policy), partition: "debug" }, { sitePolicy: site });
      if (coverage.kind === "not-covered") throw new Error(coverage.because);
      const { maxRequeueTimes, maxRecoveryHours = Infinity, anomalyDetection } = coverage.policy;
      expect(maxRequeueTimes).toBe(Math.min(1, policy.maxRequeueTimes));
      expect(maxRecoveryHours).toBe(Math.min(2, policy.maxRecoveryHours ?? Infinity));
      const { trainingLoopTimeoutSeconds } = anomalyDetection;
      expect(trainingLoopTimeoutSeconds).toBe(Math.min(3600, policy.anomalyDetection.trainingLoopTimeoutSeconds));
      expect({ ...coverage.policy, maxRequeueTimes, maxRecoveryHours: 0, anomalyDetection }).toEqual({
        ...policy,
        maxRequeueTimes,
        maxRecoveryHours: 0,
        anomalyDetection: { ...policy.anomalyDetection, trainingLoopTimeoutSeconds },
      });
    }),
  );
});

describe("what a site may not say is named before anything starts", () => {
  test.each<[JsonObject, "defaults" | "caps", string]>([
    [
      { max_requeue_tmes: 5 },
      "defaults",
      'policy_defaults.gpu.max_requeue_tmes is not a known key (did you mean "max_requeue_times"?).',
    ],
    [
      { max_requeue_times: "5" },
      "defaults",
      'policy_defaults.gpu.max_requeue_times is "5": expected an integer from 0 to 1000.',
    ],
    [
      { auto_resume_mode: "requeue" },
      "defaults",
      "policy_defaults.gpu.auto_resume_mode: only the author of a job says this.",
    ],
    [{ workflow_id: "w" }, "defaults", "policy_defaults.gpu.workflow_id: only the author of a job says this."],
    [{ charge: "all" }, "caps", "policy_caps.gpu.charge is not a known key."],
    [
      { anomaly_detection: { log_based_timeout_trainingloop: 0 } },
      "caps",
      "policy_caps.gpu.anomaly_detection.log_based_timeout_trainingloop is 0: expected a number above 0.",
    ],
  ])("%j as %s", (values, part, problem) => {
    expect(siteProblems({ defaults: {}, caps: {}, [part]: { gpu: values } })).toEqual([problem]);
  });

  test("a sound one has no problems", () => expect(siteProblems(site)).toEqual([]));
});
