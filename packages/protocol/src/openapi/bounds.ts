/**
 * bounds: what the descriptors cannot say of a field: that it is required, and what it may hold. For OpenAPI and the reference.
 *
 * Keeps   a key that is no field, and a number that is not in `limits`, is found by openapi.test.ts; that the server
 *         holds them, by the conformance suite (e2e/api).
 * Source  api.md §1, §2, §4.
 */
import { limits } from "@reprise/core/limits.ts";

/** In the words of JSON Schema. A bound of a list's items stands in `items`. */
export interface Bounds {
  readonly required?: true;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
  readonly maxItems?: number;
  readonly format?: "uuid";
  readonly items?: Omit<Bounds, "items" | "required">;
}

const required = { required: true } as const;
const identifier = { minLength: 1, maxLength: limits.workflowIdCharsMax };
const attemptIndex = { minimum: 0, maximum: limits.attemptIndexMax };
const nodes = { maxItems: limits.nodesMax, items: { minLength: 1, maxLength: limits.nodeNameCharsMax } };
const pageRows = { minimum: 0, default: limits.pageRowsDefault };
const count = { minimum: 0 };

/** Full name of a field in the proto → its bounds. */
export const boundsOf: Readonly<Record<string, Bounds>> = {
  "heimdall.v1.CreateOrUpdateJobRequest.workflow_id": { ...required, ...identifier },
  "heimdall.v1.CreateOrUpdateJobRequest.heimdall_job_id": { format: "uuid" },
  "heimdall.v1.CreateOrUpdateJobRequest.job_id": { maxLength: limits.workflowIdCharsMax },
  "heimdall.v1.CreateOrUpdateJobRequest.attempt_index": attemptIndex,
  "heimdall.v1.CreateOrUpdateJobRequest.allocated_nodes": nodes,
  "heimdall.v1.CreateOrUpdateJobRequest.gpu_count_per_node": count,
  "heimdall.v1.NodeConstraints.exclusions": nodes,
  "heimdall.v1.NodeConstraints.inclusions": nodes,
  "heimdall.v1.JobAdditionalProperties.max_requeue_times": count,
  "heimdall.v1.GetJobsRequest.limit": pageRows,
  "heimdall.v1.GetJobsRequest.page_number": { minimum: 1 },
  "heimdall.v1.GetJobsBySchedulerIdRequest.scheduler_job_id": identifier,
  "heimdall.v1.GetJobsBySchedulerIdRequest.limit": pageRows,
  "heimdall.v1.GetWorkflowsRequest.limit": pageRows,
  "heimdall.v1.GetWorkflowsRequest.page_number": { minimum: 1 },
  "heimdall.v1.GetWorkflowRequest.workflow_id": { ...required, ...identifier },
  "heimdall.v1.ListAdviceRequest.limit": pageRows,
  "reprise.v1.ListNodesRequest.limit": pageRows,
  "heimdall.v1.UpdateAdviceReconciliationStatusRequest.heimdall_job_id": { format: "uuid" },
  "heimdall.v1.AdviceReconciliationStatus.observed_generation": required,
  "heimdall.v1.AdviceReconciliationStatus.disposition": required,
  "heimdall.v1.GetRecoverySequenceRequest.scheduler_system": required,
  "heimdall.v1.GetRecoverySequenceRequest.scheduler_scope": required,
  "heimdall.v1.GetRecoverySequenceRequest.job_id": { ...required, ...identifier },
  "heimdall.v1.GetRecoverySequenceRequest.source_attempt_index": { ...required, ...attemptIndex },
  "heimdall.v1.GetRecoverySequenceRequest.operation": required,
  "heimdall.v1.RecordRecoveryMilestoneRequest.sequence_id": required,
  "heimdall.v1.RecordRecoveryMilestoneRequest.idempotency_key": required,
  "heimdall.v1.RecordRecoveryMilestoneRequest.operation": required,
  "heimdall.v1.RecordRecoveryMilestoneRequest.action": required,
  "heimdall.v1.GetAuditEventsRequest.heimdall_job_id": { format: "uuid" },
  "heimdall.v1.GetAuditEventsRequest.attempt_index": attemptIndex,
  "heimdall.v1.GetAuditEventsRequest.limit": { minimum: 0, default: limits.auditPageRowsMax },
  "heimdall.v1.CreateAuditEventsRequest.items": { maxItems: limits.auditEventsPerCallMax },
  "reprise.v1.ReportSignalsRequest.signals": { maxItems: limits.signalsPerReportMax },
  "reprise.v1.ReportNodeLinesRequest.reporter": { ...required, ...identifier },
  "reprise.v1.ReportNodeLinesRequest.lines": { maxItems: limits.nodeLinesPerReportMax },
  "reprise.v1.ReportCoursesRequest.reporter": { ...required, ...identifier },
  "reprise.v1.ReportCoursesRequest.courses": { maxItems: limits.coursesPerReportMax },
  "reprise.v1.CourseReport.heimdall_job_id": { ...required, format: "uuid" },
  "reprise.v1.CourseReport.points": { maxItems: limits.coursePointsMax },
  "reprise.v1.CourseReport.checkpoints": { maxItems: limits.courseCheckpointsMax },
  "reprise.v1.CourseReport.speed_changes": { maxItems: limits.courseSpeedChangesMax },
  "reprise.v1.CourseReport.contexts": { maxItems: limits.courseContextsMax },
  "reprise.v1.LogContext.before": { maxItems: limits.contextBeforeMax },
  "reprise.v1.LogContext.after": { maxItems: limits.contextAfterMax },
  "reprise.v1.CourseRequest.attempt_index": attemptIndex,
  "reprise.v1.NodeLine.node": { ...required, minLength: 1, maxLength: limits.nodeNameCharsMax },
  "reprise.v1.NodeLine.at": required,
};
