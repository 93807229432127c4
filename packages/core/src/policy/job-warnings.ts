/**
 * job-warnings: what a job was submitted with that keeps its policy from being carried out, told before anything fails.
 *
 * Takes        the policy, and what Slurm shows of the job.
 * Gives        whole sentences for its author; none when nothing is in the way.
 * Pure, total
 * Source       slurm.md §2.2: what Slurm refuses to requeue.
 */
import type { Policy, SlurmJob } from "../nouns.ts";

export function jobWarnings(
  { autoResumeMode }: Policy,
  job: Pick<SlurmJob, "batch" | "requeueable">,
): readonly string[] {
  if (autoResumeMode !== "requeue") return []; // Nothing is requeued.
  if (!job.batch) return ["It is not a batch job: Slurm cannot requeue it, so no restart can be carried out."];
  return job.requeueable
    ? []
    : ["Submitted with --no-requeue (or JobRequeue=0): Slurm refuses to requeue it, so no restart can be carried out."];
}
