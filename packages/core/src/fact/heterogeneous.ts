/**
 * heterogeneous: one job that Slurm shows as several rows, a component each.
 *
 * Takes        rows of one view; the first component leads: the script runs in it, and commands to it move all.
 * Pure, total
 * Keeps        what is published and decided about is the leader, as one job with the nodes of all components; who is not the leader is
 *              never a job of his own.
 * Source       design §4; slurm.md §2.2; seen on 22.05.8.
 */
import type { SlurmJob, SlurmView } from "../nouns.ts";

export const isLeader = ({ jobId, hetJobId }: SlurmJob): boolean => hetJobId === jobId;

/** A component that another one leads. */
export const isLed = ({ jobId, hetJobId }: SlurmJob): boolean => hetJobId !== undefined && hetJobId !== jobId;

/** All components, the leader first; of an ordinary job itself. */
export function componentsOf(job: SlurmJob, view: Pick<SlurmView, "jobs">): readonly SlurmJob[] {
  if (!isLeader(job)) return [job];
  const led = [...view.jobs.values()].filter((other) => isLed(other) && other.hetJobId === job.jobId);
  return [job, ...led.toSorted((a, b) => Number(a.recordId) - Number(b.recordId))];
}

/** The jobs that a row which could not be read is, or is a part of. What is seen of them is not all. */
export function unreadWholes({ jobs, unreadable }: Pick<SlurmView, "jobs" | "unreadable">): ReadonlySet<string> {
  const wholes = new Set<string>();
  for (const [jobId, { shown }] of unreadable) {
    wholes.add(shown?.hetJobId ?? jobId);
    // It may be a part of any.
    if (shown === undefined) for (const job of jobs.values()) if (isLeader(job)) wholes.add(job.jobId);
  }
  return wholes;
}

/** The rows as jobs: of a heterogeneous one its leader, with what the components have together. */
export function wholeJobs(view: Pick<SlurmView, "jobs">): readonly SlurmJob[] {
  const jobs = [...view.jobs.values()];
  if (jobs.every(({ hetJobId }) => hetJobId === undefined)) return jobs;
  return jobs.filter((job) => !isLed(job)).map((job) => (isLeader(job) ? together(componentsOf(job, view)) : job));
}

function together(components: readonly SlurmJob[]): SlurmJob {
  const [leader] = components as readonly [SlurmJob, ...SlurmJob[]]; // `componentsOf` begins with it.
  const union = (list: (job: SlurmJob) => readonly string[]) => [...new Set(components.flatMap(list))];
  const constraints = union(({ constraint }) => (constraint === undefined ? [] : [constraint]));
  return {
    ...leader,
    // While one is empty the others are on their way: it has them all, or none.
    nodes: components.some(({ nodes }) => nodes.length === 0) ? [] : union(({ nodes }) => nodes),
    nodeCount: components.reduce((sum, { nodeCount }) => sum + nodeCount, 0),
    partition: union(({ partition }) => partition.split(",")).join(","),
    excludedNodes: union(({ excludedNodes }) => excludedNodes),
    requiredNodes: union(({ requiredNodes }) => requiredNodes),
    hetComponents: components.map(({ jobId }) => jobId),
    // Where they ask for different nodes it is no constraint that can be counted, and that is said.
    ...(constraints.length === 0 ? {} : { constraint: constraints.join(" ") }),
  };
}
