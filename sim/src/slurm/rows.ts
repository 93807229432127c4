/**
 * rows: what a look shows of the jobs and nodes, as values.
 *
 * Gives    the same objects again while nothing has changed, so that looking costs nothing.
 * Keeps    equal to what the parsers read from the text of `squeue-text.ts` (tested): there is no second opinion of a job.
 */
import type { NodeHardware } from "@reprise/core/fact/node-hardware.ts";
import type { Instant, SlurmJob, SlurmNode } from "@reprise/core/nouns.ts";
import { isReserved, reservationsOf } from "./capacity.ts";
import type { Ledger } from "./ledger.ts";
import { createLoads } from "./loads.ts";
import { nodeStateWord } from "./machines.ts";
import { finalStates, type JobRecord, type NodeRecord, showDependency, stateWord } from "./record.ts";

export interface Rows {
  jobs(): ReadonlyMap<string, SlurmJob>;
  nodes(): ReadonlyMap<string, SlurmNode>;
}

export function createRows(ledger: Ledger): Rows {
  const jobRows = new Map<number, { readonly revision: number; readonly rows: readonly SlurmJob[] }>();
  let nodeRows: ReadonlyMap<string, SlurmNode> = new Map();
  const loads = createLoads();
  let nodesRevision = -1;
  let seen:
    | { revision: number; jobs: ReadonlyMap<string, SlurmJob>; nodes: ReadonlyMap<string, SlurmNode> }
    | undefined;

  const rowsNow = (job: JobRecord): readonly SlurmJob[] => {
    const known = jobRows.get(job.recordId);
    if (known?.revision === job.revision) return known.rows;
    const rows = rowsOf(job, ledger.now());
    jobRows.set(job.recordId, { revision: job.revision, rows });
    return rows;
  };
  const look = () => {
    if (seen?.revision === ledger.revision) return seen;
    const jobs = new Map<string, SlurmJob>();
    for (const job of ledger.jobs.values()) for (const row of rowsNow(job)) jobs.set(row.jobId, row);
    for (const recordId of jobRows.keys()) if (!ledger.jobs.has(recordId)) jobRows.delete(recordId);
    seen = { revision: ledger.revision, jobs, nodes: nodesNow() };
    return seen;
  };
  /** Most nodes are as they were, and often all. */
  const nodesNow = () => {
    const touched = loads.follow(ledger.jobs);
    const isAllNew = nodesRevision !== ledger.nodesRevision;
    nodesRevision = ledger.nodesRevision;
    const names = isAllNew ? ledger.nodes.keys() : touched;
    const changed: SlurmNode[] = [];
    for (const name of names) {
      const node = ledger.nodes.get(name);
      if (node === undefined) continue;
      const word = nodeStateWord(node, loads.of(name));
      const state = word === "idle" && isReserved(ledger, name) ? "reserved" : word;
      if (nodeRows.get(name)?.state === state) continue;
      const isEligible = !node.isDown && !node.isDrained && state !== "reserved";
      const { partitions, features } = node;
      const reservations = reservationsOf(ledger, name);
      changed.push({ name, state, isEligible, partitions, features, reservations, hardware: hardwareOf(node) });
    }
    if (changed.length === 0) return nodeRows;
    const rows = new Map(nodeRows);
    for (const row of changed) rows.set(row.name, row);
    nodeRows = rows;
    return nodeRows;
  };
  return { jobs: () => look().jobs, nodes: () => look().nodes };
}

const hardwareOf = ({ cpus, memoryMb, gpus, gpuType }: NodeRecord): NodeHardware => ({
  cpus,
  memoryMb,
  gres: gpus === 0 ? "" : `gpu:${gpuType}:${gpus}`,
});

const gresOf = ({ gpusPerNode, gpuType }: JobRecord): string =>
  `gres:gpu:${gpuType === "" ? "" : `${gpuType}:`}${gpusPerNode}`;

/** One for each task that a record stands for (`squeue -r`). */
export function rowsOf(job: JobRecord, now: Instant): SlurmJob[] {
  if (job.arrayJobId === undefined) return [rowOf(job, String(job.recordId), undefined, now)];
  const tasks = job.taskId === undefined ? job.unsplit : [job.taskId];
  return tasks.map((task) => rowOf(job, `${job.arrayJobId}_${task}`, task, now));
}

/** What squeue prints of a pending job's StartTime: its begin time, as long as that is to come. */
export function shownStart(job: JobRecord, now: Instant): Instant | undefined {
  if (job.startAt > 0 && job.base !== "PENDING") return job.startAt;
  if (job.completing) return job.endAt;
  return job.beginAt > now ? job.beginAt : undefined;
}

function rowOf(job: JobRecord, jobId: string, task: number | undefined, now: Instant): SlurmJob {
  const startAt = shownStart(job, now);
  const dependency = showDependency(job);
  const isOver = job.completing || finalStates.has(job.base);
  const madeUp = task === undefined ? `slurm-${job.recordId}.out` : "slurm-%A_%a.out";
  return {
    jobId,
    recordId: String(job.recordId),
    name: job.name,
    user: job.user,
    partition: job.partition,
    ...(job.account === "" ? {} : { account: job.account }),
    ...(job.reservation === undefined ? {} : { reservation: job.reservation }),
    ...(job.constraint === "" ? {} : { constraint: job.constraint }),
    state: stateWord(job),
    reason: shownReason(job),
    restartCount: job.restartCount,
    priority: job.priority,
    submitAt: job.submitAt,
    ...(startAt === undefined ? {} : { startAt }),
    ...(isOver && shownEnd(job) !== undefined ? { endAt: job.endAt } : {}),
    exitCode: job.signal > 0 ? 0 : job.exitCode,
    signal: job.signal,
    nodes: job.nodes,
    excludedNodes: job.excluded,
    requiredNodes: job.required,
    nodeCount: job.nodeCount,
    ...(job.gpusPerNode === 0 ? {} : { gpusPerNode: job.gpusPerNode, gresPerNode: gresOf(job) }),
    cpusPerNode: job.cpusPerNode,
    ...(job.memoryMbPerNode === 0 ? {} : { memoryMbPerNode: job.memoryMbPerNode }),
    comment: job.comment,
    adminComment: job.adminComment,
    stdout: job.output === "" ? `${job.workDir}/${madeUp}` : job.output,
    stderr: job.error === "" ? (job.output === "" ? `${job.workDir}/${madeUp}` : job.output) : job.error,
    workDir: job.workDir,
    command: job.command,
    ...(dependency === "" ? {} : { dependency }),
    batch: job.batch,
    requeueable: job.requeue,
    ...(task === undefined ? {} : { arrayJobId: String(job.arrayJobId), arrayTaskId: String(task) }),
    ...(job.hetJobId === undefined ? {} : { hetJobId: String(job.hetJobId) }),
    ...(job.sluid === "" ? {} : { sluid: job.sluid }),
  };
}

export const shownReason = (job: JobRecord) => (job.description === "" ? job.reason : job.description);
/** A job that has been requeued and is still leaving shows NONE. */
export const shownEnd = (job: JobRecord) => (job.base === "PENDING" || job.endAt === 0 ? undefined : job.endAt);
