/** A job as Slurm shows it, to be changed in one way by a test. */
import type { SlurmJob, SlurmView } from "../nouns.ts";

export function slurmJob(change: Partial<SlurmJob> = {}): SlurmJob {
  return {
    jobId: "123",
    recordId: "123",
    name: "train",
    user: "ada",
    partition: "gpu",
    state: "RUNNING",
    reason: "None",
    restartCount: 0,
    priority: 4294901759,
    submitAt: 100_000,
    exitCode: 0,
    signal: 0,
    nodes: ["n1", "n2"],
    excludedNodes: [],
    requiredNodes: [],
    nodeCount: 2,
    comment: "",
    adminComment: "",
    batch: true,
    requeueable: true,
    ...change,
  };
}

/** A pass that read every row. */
export const slurmView = (jobs: readonly SlurmJob[], change: Partial<SlurmView> = {}): SlurmView => ({
  cluster: "c",
  jobs: new Map(jobs.map((job) => [job.jobId, job])),
  nodes: new Map(),
  unreadable: new Map(),
  ...change,
});
