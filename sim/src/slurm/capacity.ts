/**
 * capacity: which nodes a job could ever have, which are free now, and who would have to go.
 *
 * Pure     over the records.
 * Keeps    which nodes have what a job asks for is found once: what nodes have never changes, and a job's lists of nodes are replaced,
 *          not written into.
 */
import { readConstraint } from "@reprise/core/evidence/constraint.ts";
import type { Ledger, Partition } from "./ledger.ts";
import { hasAllocation, type JobRecord, type NodeRecord } from "./record.ts";

interface Used {
  cpus: number;
  gpus: number;
}

export type Usage = Map<string, Used>;

export function usageOf(jobs: Iterable<JobRecord>): Usage {
  const usage: Usage = new Map();
  for (const job of jobs) if (hasAllocation(job)) use(usage, job, job.nodes);
  return usage;
}

export function use(usage: Usage, job: JobRecord, nodes: readonly string[]): void {
  for (const name of nodes) {
    const used = usage.get(name) ?? { cpus: 0, gpus: 0 };
    // A job that is alone on a node takes all of it.
    used.cpus += job.exclusive ? Infinity : job.cpusPerNode;
    used.gpus += job.exclusive ? Infinity : job.gpusPerNode;
    usage.set(name, used);
  }
}

/** What the choices of a job were made for: nothing else that they depend on ever changes. */
interface Choices {
  readonly excluded: JobRecord["excluded"];
  readonly required: JobRecord["required"];
  readonly of: Map<Partition, readonly NodeRecord[][]>;
}

const known = new WeakMap<JobRecord, Choices>();

/** Each choice of nodes of this partition that have what the job asks for, up or down: of `[a|b]` those with a, and those with b. */
export function suitable(ledger: Ledger, job: JobRecord, partition: Partition): readonly NodeRecord[][] {
  const { excluded, required } = job;
  let choices = known.get(job);
  if (choices?.excluded !== excluded || choices.required !== required) {
    choices = { excluded, required, of: new Map() };
    known.set(job, choices);
  }
  const before = choices.of.get(partition);
  if (before !== undefined) return before;
  const chosen = choose(ledger, job, partition);
  choices.of.set(partition, chosen);
  return chosen;
}

function choose(ledger: Ledger, job: JobRecord, partition: Partition): NodeRecord[][] {
  const all = withoutFeatures(ledger, job, partition);
  if (job.constraint === "") return [all];
  return (readConstraint(job.constraint) ?? []).map((way) =>
    all.filter(({ features }) => way.every(({ isMetBy }) => isMetBy(new Set(features)))),
  );
}

function withoutFeatures(ledger: Ledger, job: JobRecord, partition: Partition): NodeRecord[] {
  const excluded = new Set(job.excluded);
  const found: NodeRecord[] = [];
  for (const name of partition.nodeNames) {
    const node = ledger.nodes.get(name);
    if (node === undefined || excluded.has(name) || !isOpenTo(ledger, job, name)) continue;
    if (isEnough(node, job)) found.push(node);
  }
  if (job.required.length === 0) return found;
  const has = new Set(found.map(({ name }) => name));
  return job.required.every((name) => has.has(name)) ? found : [];
}

/** Memory is asked for, and given to all. */
const isEnough = (node: NodeRecord, job: JobRecord): boolean =>
  node.cpus >= job.cpusPerNode &&
  node.memoryMb >= job.memoryMbPerNode &&
  node.gpus >= job.gpusPerNode &&
  (job.gpuType === "" || job.gpuType === node.gpuType);

/** A reserved node is its jobs', and they have no other. */
function isOpenTo(ledger: Ledger, { reservation }: JobRecord, node: string): boolean {
  if (reservation === undefined) return !isReserved(ledger, node);
  return ledger.settings.reservations[reservation]?.includes(node) === true;
}

export const isReserved = (ledger: Ledger, node: string): boolean => reservationsOf(ledger, node).length > 0;

export const reservationsOf = ({ settings: { reservations } }: Ledger, node: string): string[] =>
  Object.keys(reservations)
    .filter((name) => reservations[name]?.includes(node))
    .toSorted();

const unused: Used = { cpus: 0, gpus: 0 };

export const isUp = (node: NodeRecord) => !node.isDown && !node.isDrained;

/** Nodes on which the job can start now: those it requires first; `undefined` when they are too few. */
export function freeNow(nodes: readonly NodeRecord[], job: JobRecord, usage: Usage): string[] | undefined {
  const required = new Set(job.required);
  const chosen: string[] = [];
  const others: string[] = [];
  for (const node of nodes) {
    if (!fits(node, job, usage)) continue;
    (required.has(node.name) ? chosen : others).push(node.name);
  }
  if (chosen.length < required.size) return undefined;
  for (const name of others) {
    if (chosen.length >= job.nodeCount) break;
    chosen.push(name);
  }
  return chosen.length < job.nodeCount ? undefined : chosen;
}

function fits(node: NodeRecord, job: JobRecord, usage: Usage): boolean {
  if (!isUp(node)) return false;
  const { cpus, gpus } = usage.get(node.name) ?? unused;
  if (job.exclusive) return cpus === 0 && gpus === 0;
  return node.cpus - cpus >= job.cpusPerNode && node.gpus - gpus >= job.gpusPerNode;
}
