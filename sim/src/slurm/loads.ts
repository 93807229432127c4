/**
 * loads: what the jobs use of each node, followed from look to look.
 *
 * Keeps   only the nodes of jobs that started, left or ended since the last look are counted again.
 */
import type { Load } from "./machines.ts";
import { hasAllocation, type JobRecord } from "./record.ts";

export interface Loads {
  /** @returns The names of nodes whose load may have changed. */
  follow(jobs: ReadonlyMap<number, JobRecord>): ReadonlySet<string>;
  /** As it was when last followed. Undefined: nobody is there. */
  of(node: string): Load | undefined;
}

/** What a job had at the last look. */
interface Had {
  readonly nodes: readonly string[];
  readonly completing: boolean;
  /** Of each node. */
  readonly cpus: number;
}

export function createLoads(): Loads {
  const had = new Map<number, Had>();
  const loads = new Map<string, Load>();
  /** By node: what the jobs on it have. */
  const on = new Map<string, Map<number, Had>>();
  return {
    follow(jobs) {
      const touched = new Set<string>();
      const leave = (recordId: number, { nodes }: Had) => {
        had.delete(recordId);
        for (const name of nodes) {
          on.get(name)?.delete(recordId);
          touched.add(name);
        }
      };
      for (const [recordId, before] of had) {
        const job = jobs.get(recordId);
        const isSame = job !== undefined && hasAllocation(job) && job.nodes === before.nodes;
        if (!isSame || job.completing !== before.completing) leave(recordId, before);
      }
      for (const [recordId, job] of jobs) {
        if (had.has(recordId) || !hasAllocation(job)) continue;
        const has = { nodes: job.nodes, completing: job.completing, cpus: job.exclusive ? Infinity : job.cpusPerNode };
        had.set(recordId, has);
        for (const name of job.nodes) {
          const there = on.get(name) ?? new Map<number, Had>();
          on.set(name, there.set(recordId, has));
          touched.add(name);
        }
      }
      for (const name of touched) count(name);
      return touched;
    },
    of: (node) => loads.get(node),
  };

  function count(name: string): void {
    const load: Load = { cpus: 0, isCompleting: false };
    for (const job of on.get(name)?.values() ?? []) {
      if (job.completing) load.isCompleting = true;
      else load.cpus += job.cpus;
    }
    if (load.cpus === 0 && !load.isCompleting) loads.delete(name);
    else loads.set(name, load);
  }
}
