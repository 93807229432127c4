/**
 * tasks: the records of an array, and the one job or the many that a name means.
 *
 * Keeps    tasks that nobody has touched share the array's first record; the first change of one gives it a record of its own, with a new
 *          number; the last task keeps the first record.
 * Source   slurm.md §2.3, §2.8; `job_array_split` of slurmctld; numbers seen on 22.05.8.
 */
import type { Ledger } from "./ledger.ts";
import type { JobRecord } from "./record.ts";

/** The record of this task alone. The job itself when it is no array, or the task has its own already. */
export function splitOff(ledger: Ledger, job: JobRecord, taskId: number | undefined): JobRecord {
  if (taskId === undefined || !job.unsplit.includes(taskId)) return job;
  ledger.change(job);
  if (job.unsplit.length === 1) {
    [job.taskId, job.unsplit] = [taskId, []];
    return job;
  }
  job.unsplit = job.unsplit.filter((other) => other !== taskId);
  const task: JobRecord = { ...job, recordId: ledger.nextJobId, taskId, unsplit: [], sluid: ledger.newSluid() };
  ledger.add(task);
  return task;
}

/** All records of an array, by its ID. */
export const arrayOf = (ledger: Ledger, arrayJobId: number): JobRecord[] =>
  [...ledger.jobs.values()].filter((one) => one.arrayJobId === arrayJobId);

/** All components of a heterogeneous job, whichever is asked; of another job itself. */
export function wholeOf(ledger: Ledger, job: JobRecord): readonly JobRecord[] {
  if (job.hetJobId === undefined) return [job];
  return [...ledger.jobs.values()].filter((one) => one.hetJobId === job.hetJobId);
}

/** The record whose processes are the job's: a script runs in the leader. */
export const scriptOf = (ledger: Ledger, job: JobRecord): JobRecord =>
  (job.hetJobId === undefined ? undefined : ledger.jobs.get(job.hetJobId)) ?? job;

export interface Named {
  /** How Slurm names it in what it says: `12`, or the task `12_3`. */
  readonly name: string;
  readonly job: JobRecord;
}

/**
 * What `123`, `95_1`, or an array's `95` means; none when slurmctld does not know it. `splits`: whether an unstarted task gets its own record.
 */
export function find(ledger: Ledger, name: string, { splits }: { readonly splits: boolean }): readonly JobRecord[] {
  const [, first = "", task, offset] = /^(\d+)(?:_(\d+)|\+(\d+))?$/.exec(name) ?? [];
  const jobId = Number(first);
  if (offset !== undefined) {
    const component = ledger.jobs.get(jobId + Number(offset));
    return component?.hetJobId === jobId ? [component] : [];
  }
  if (task !== undefined) {
    const taskId = Number(task);
    const job = arrayOf(ledger, jobId).find((one) => tasksOf(one).includes(taskId));
    return job === undefined ? [] : [splits ? splitOff(ledger, job, taskId) : job];
  }
  const tasks = arrayOf(ledger, jobId);
  if (tasks.length > 0) return tasks;
  const job = ledger.jobs.get(jobId);
  return job === undefined ? [] : [job];
}

/** The tasks that a record stands for. */
export const tasksOf = (job: JobRecord): readonly number[] => (job.taskId === undefined ? job.unsplit : [job.taskId]);

/** `0,2-3`. */
export function showTasks(tasks: readonly number[]): string {
  const sorted = [...tasks].sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const task of sorted) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] + 1 === task) run[1] = task;
    else runs.push([task, task]);
  }
  return runs.map(([low, high]) => (low === high ? `${low}` : `${low}-${high}`)).join(",");
}

/** `0-5,7,10-20:5%2`; `undefined` for what is not one. */
export function parseTasks(
  text: string,
): { readonly tasks: readonly number[]; readonly runningMax: number | undefined } | undefined {
  const [list = "", limit] = text.split("%");
  const tasks = new Set<number>();
  for (const part of list.split(",")) {
    const range = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(part);
    if (range === null) return undefined;
    const [first, last, step] = [Number(range[1]), Number(range[2] ?? range[1]), Number(range[3] ?? 1)];
    for (let task = first; task <= last; task += step) tasks.add(task);
  }
  return { tasks: [...tasks].sort((a, b) => a - b), runningMax: limit === undefined ? undefined : Number(limit) };
}
