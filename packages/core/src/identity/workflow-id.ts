/**
 * workflow-id: which group a job belongs to. Grouping is not ordering.
 *
 * Takes        what the author said (comment) and what Slurm shows.
 * Gives        the first of: workflow_id, workflow_name, job name, job ID; 1–256 characters.
 * Pure, total  A part that is blank or too long for the wire is passed over, never cut: two cut names would be one group.
 */
import { limits } from "../limits.ts";

export interface WorkflowNames {
  readonly workflowId?: string | undefined;
  readonly workflowName?: string | undefined;
  readonly jobName?: string | undefined;
  readonly jobId: string;
}

export function resolveWorkflowId({ workflowId, workflowName, jobName, jobId }: WorkflowNames): string {
  return [workflowId, workflowName, jobName].find(isWorkflowId) ?? jobId;
}

/** Counted in characters (code points), as the wire does. */
export function isWorkflowId(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== "" && [...text].length <= limits.workflowIdCharsMax;
}
