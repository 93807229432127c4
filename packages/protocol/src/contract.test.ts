/**
 * Goal    the public API has exactly the names, types and enum values of the documents: a client of the original
 *         works unchanged.
 * Method  the lists of the contract, written out here by hand, against the compiled proto.
 */
import type { DescEnum, DescMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import * as audit from "./gen/heimdall/v1/audit_pb.ts";
import * as wire from "./gen/heimdall/v1/heimdall_pb.ts";

const enums: readonly [DescEnum, prefix: string, values: string][] = [
  [wire.JobStatusSchema, "JOB_STATUS", "PENDING RUNNING STOPPED COMPLETED FAILED CANCELLED DELETED"],
  [wire.AdviceReconciliationDispositionSchema, "ADVICE_RECONCILIATION_DISPOSITION", "PENDING CONVERGED ABANDONED"],
  [
    wire.AdviceReconciliationReasonSchema,
    "ADVICE_RECONCILIATION_REASON",
    "DESIRED_STATE_OBSERVED ALREADY_SATISFIED ADVICE_EXPIRED SUPERSEDED TARGET_GONE JOB_ENDED ACTION_REFUSED HELD_BY_OTHERS " +
      "OBSERVE_MODE STARTED_UNCONSTRAINED WITHDRAWN RELEASED_BY_WATCHDOG",
  ],
  [wire.RecoveryOperationSchema, "RECOVERY_OPERATION", "RESTART TERMINATE DAG_RELEASE"],
  [
    wire.RecoverySchedulerActionSchema,
    "RECOVERY_SCHEDULER_ACTION",
    "SLURM_REQUEUE_HOLD SLURM_UPDATE_CONSTRAINTS SLURM_RELEASE SLURM_CANCEL",
  ],
  [wire.AdviceDesiredStateSchema, "ADVICE_DESIRED_STATE", "RESTARTED TERMINATED RELEASED"],
  [wire.AutoResumeModeSchema, "AUTO_RESUME_MODE", "OFF REQUEUE SINGLETON_DEPENDENCY"],
  [wire.TriggerConditionSchema, "TRIGGER_CONDITION", "ON_SUCCESS ON_FAILURE ON_COMPLETION ON_START"],
  [wire.DagActionSchema, "DAG_ACTION", "TERMINATE_DEPENDENTS KEEP_HELD"],
];

test.each(enums)("%s has its values", (desc, prefix, values) => {
  const expected = ["UNSPECIFIED", ...values.split(" ")].map((value) => `${prefix}_${value}`);
  expect(desc.values.map(({ name }) => name)).toEqual(expected);
});

const messages: readonly [DescMessage, fields: string][] = [
  [
    wire.CreateOrUpdateJobRequestSchema,
    "workflowId heimdallJobId jobId attemptIndex jobName allocatedNodes gpuCountPerNode nodeConstraints additionalProperties state " +
      "schedulerMetadata recoveryConfig",
  ],
  [
    wire.JobSchema,
    "workflowId heimdallJobId jobRunId jobId attemptIndex nodes gpuCountPerNode nodeConstraints additionalProperties state createdAt " +
      "lastSeen updatedAt jobName schedulerMetadata recoveryConfig",
  ],
  [wire.NodeConstraintsSchema, "exclusions inclusions"],
  [wire.JobAdditionalPropertiesSchema, "maxRequeueTimes enableNvrx"],
  [
    wire.JobRecoveryConfigSchema,
    "autoResumeMode maxRequeueTimes requeueOnCompletion anomalyDetectionConfig dagDependencies dagAction environment " +
      "logFilePathsSharedAcrossAttempts",
  ],
  [
    wire.AnomalyDetectionConfigSchema,
    "logBasedCrashEnabled logBasedTimeoutEnabled logBasedTimeoutThresholdPretraining logBasedTimeoutThresholdTrainingloop",
  ],
  [wire.DagDependencySchema, "jobId jobName trigger"],
  [wire.WorkflowSchema, "workflowId schedulerWorkflowId name startTime endTime"],
  [
    wire.AdviceSchema,
    "heimdallJobId jobId attemptIndex workflowId desiredState nodeConstraints issues because generation reconciliationStatus createdAt " +
      "updatedAt expiresAt active",
  ],
  [wire.AdviceIssueSchema, "kind domain summary nodes evidence detectedAt"],
  [wire.EvidenceSchema, "source line path offset at"],
  [wire.AdviceReconciliationStatusSchema, "observedGeneration disposition reason message observedAt"],
  [wire.RecoveryContextSchema, "sequenceId traceparent tracestate operation startedAt milestones"],
  [
    wire.GetJobsRequestSchema,
    "pageToken pageNumber limit workflowIds jobIds jmState reconciliationEligibleJobs completedJobs endTimeFrom endTimeTo",
  ],
  [wire.GetJobsResponseSchema, "jobs count nextPageToken"],
  [wire.GetJobsBySchedulerIdResponseSchema, "jobs count nextPageToken"],
  [wire.GetWorkflowsResponseSchema, "workflows count nextPageToken"],
  [wire.ListAdviceResponseSchema, "advice count nextPageToken"],
  [wire.ListAdviceRequestSchema, "page limit onlyActive"],
  [wire.GetRecoverySequenceRequestSchema, "schedulerSystem schedulerScope jobId sourceAttemptIndex operation"],
  [wire.GetRecoverySequenceResponseSchema, "recoveryContext"],
  [wire.RecordRecoveryMilestoneRequestSchema, "sequenceId idempotencyKey operation action completedAt outcome"],
  [
    audit.ProducerAuditEventSchema,
    "heimdallJobId eventProducer eventType eventLevel payload idempotencyKey eventProducedAt jobId attemptIndex",
  ],
  [
    audit.GetAuditEventsRequestSchema,
    "heimdallJobId jobId attemptIndex eventType eventLevel eventProducer minEventProducedAt maxEventProducedAt sortBy cursor limit",
  ],
  [audit.GetAuditEventsResponseSchema, "cursor items"],
  [audit.AuditCursorSchema, "next previous"],
  [audit.CreateAuditEventsResponseSchema, "partialSuccess"],
  [audit.AuditPartialSuccessSchema, "rejectedCount errorMessage"],
];

test.each(messages)("%s has its fields", (desc, fields) => {
  expect(desc.fields.map(({ jsonName }) => jsonName)).toEqual(fields.split(" "));
});

test("every scalar of a job and of its upsert tells unset from zero", () => {
  for (const { fields } of [wire.JobSchema, wire.CreateOrUpdateJobRequestSchema]) {
    const scalars = fields.filter(({ fieldKind }) => fieldKind === "scalar" || fieldKind === "enum");
    expect(scalars.filter(({ proto }) => !proto.proto3Optional).map(({ name }) => name)).toEqual([]);
  }
});

test("the public package holds these services and nothing of ours", () => {
  expect(wire.HeimdallService.typeName).toBe("heimdall.v1.HeimdallService");
  expect(wire.HeimdallService.methods.map(({ name }) => name)).toEqual([
    "GetJobs",
    "CreateOrUpdateJob",
    "GetJob",
    "GetJobsBySchedulerId",
    "GetWorkflows",
    "GetWorkflow",
    "ListAdvice",
    "UpdateAdviceReconciliationStatus",
    "GetRecoverySequence",
    "RecordRecoveryMilestone",
  ]);
  expect(audit.AuditService.methods.map(({ name }) => name)).toEqual(["GetAuditEvents", "CreateAuditEvents"]);
});
