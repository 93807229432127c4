/**
 * Goal    the record shows the policy that this server decides by, the site's defaults and caps in it.
 * Method  reports as SAC sends them, completed with and without a site policy.
 */
import { expect, test } from "vitest";
import { completeReport, type Site } from "./job-report.ts";

const sitePolicy: Site["sitePolicy"] = { defaults: {}, caps: { gpu: { max_requeue_times: 2 } } };
const published = {
  workflowId: "w",
  attemptIndex: 0,
  recoveryConfig: { autoResumeMode: "AUTO_RESUME_MODE_REQUEUE", maxRequeueTimes: 7 },
  schedulerMetadata: {
    recovery: {
      comment: '{"recovery":{"auto_resume_mode":"requeue","max_requeue_times":7}}',
      policy: { max_requeue_times: { value: 7, origin: "comment" } },
    },
    slurm: { partition: "gpu" },
  },
};

test("what SAC published is replaced where the site lowers it, with the warning beside it", () => {
  const report = completeReport(published, { cluster: "default", sitePolicy });
  expect(report.coverage).toMatchObject({ kind: "covered", policy: { maxRequeueTimes: 2 } });
  expect(report.recoveryConfig).toMatchObject({ maxRequeueTimes: 2 });
  expect(report.schedulerMetadata?.["recovery"]).toMatchObject({
    comment: published.schedulerMetadata.recovery.comment,
    policy: { max_requeue_times: { value: 2, origin: "site cap" }, charge: { value: "all", origin: "default" } },
    warnings: [expect.stringContaining("at most 2 in partition gpu")],
  });
});

test("what SAC warns of stays beside what the site lowers", () => {
  const { recovery, slurm } = published.schedulerMetadata;
  const warned = {
    ...published,
    schedulerMetadata: { slurm, recovery: { ...recovery, warnings: ["not a batch job"] } },
  };
  const report = completeReport(warned, { cluster: "default", sitePolicy });
  expect(report.schedulerMetadata?.["recovery"]).toMatchObject({
    warnings: [expect.stringContaining("at most 2 in partition gpu"), "not a batch job"],
  });
});

test("without a site policy, or a policy in the report, nothing that was published changes", () => {
  expect(completeReport(published, { cluster: "default" }).schedulerMetadata).toBe(published.schedulerMetadata);
  const { policy: _, ...recovery } = published.schedulerMetadata.recovery;
  const byHand = { ...published, schedulerMetadata: { ...published.schedulerMetadata, recovery } };
  const report = completeReport(byHand, { cluster: "default", sitePolicy });
  expect(report.schedulerMetadata).toBe(byHand.schedulerMetadata);
  expect(report.coverage).toMatchObject({ policy: { maxRequeueTimes: 2 } });
});
