/**
 * graph: scheduler jobs and whom they wait for, made of attempts.
 *
 * In the loop   rows → **graph** → gates → Situation → decide
 * Takes         every attempt of every job that waits for another one, and of the jobs they name.
 * Gives         one node a scheduler job, and whom a dependency means.
 * Pure, total
 * Keeps         an ID that was issued again never stands for a job that is younger than the one that names it.
 * Source        design §8; docs/decisions/0024.
 */
import type { Advice, AttemptRecord, DagDependency, Instant } from "../nouns.ts";

/** What the gates of others, and its own, ask of one attempt. */
export interface GraphAttempt
  extends Pick<
    AttemptRecord,
    | "heimdallJobId"
    | "cluster"
    | "jobId"
    | "incarnation"
    | "attemptIndex"
    | "workflowId"
    | "jobName"
    | "status"
    | "jmState"
    | "startedAt"
    | "coverage"
  > {
  /** Slurm's submit time; the time of its record where nobody told. */
  readonly submitAt: Instant;
  /** The Advice that counts for it. */
  readonly advice?: Pick<Advice, "desired" | "withdrawnAt"> & Pick<Advice["status"], "disposition">;
  /** What is decided about it was decided from all that is known of it, and is not to be decided again by itself. */
  readonly isDecided: boolean;
}

/** One scheduler job: its attempts, oldest first. */
export interface GraphJob {
  readonly jobId: string;
  readonly cluster: string;
  readonly workflowId: string;
  readonly jobName: string | undefined;
  readonly attempts: readonly [GraphAttempt, ...GraphAttempt[]];
}

export interface Graph {
  readonly jobs: readonly GraphJob[];
  /** Whom `dependency` of `child` means now: one job, or all tasks of one array. Empty: nobody has seen such a job. */
  parentsOf(child: GraphJob, dependency: DagDependency): readonly GraphJob[];
}

/** A job that waits for others: covered, with gates, and never started. Only its first attempt can: any later one has been let go before. */
export function isWaiting(attempt: Pick<AttemptRecord, "status" | "attemptIndex" | "startedAt" | "coverage">): boolean {
  const { status, attemptIndex, startedAt, coverage } = attempt;
  if (status !== "PENDING" || attemptIndex !== 0 || startedAt !== undefined) return false;
  return coverage.kind === "covered" && coverage.policy.dagDependencies.length > 0;
}

export function graphOf(attempts: readonly GraphAttempt[]): Graph {
  const jobs = jobsOf(attempts);
  const byId = Map.groupBy(jobs, ({ cluster, jobId }) => `${cluster}/${jobId}`);
  const byName = Map.groupBy(jobs, ({ cluster, workflowId, jobName }) => nameKey(cluster, workflowId, jobName ?? ""));
  const byArray = Map.groupBy(jobs.filter(isTask), ({ cluster, jobId }) => `${cluster}/${arrayOf(jobId)}`);
  const tasksOf = (child: GraphJob, jobId: string): readonly GraphJob[] => {
    const tasks = byArray.get(`${child.cluster}/${jobId}`) ?? [];
    const byTask = Map.groupBy(tasks, (task) => task.jobId);
    const order = (a: GraphJob, b: GraphJob) => taskOf(a.jobId) - taskOf(b.jobId); // Rows come in any.
    return sameSubmission([...byTask.values()].flatMap((sameId) => olderThan(child, sameId) ?? [])).toSorted(order);
  };
  return {
    jobs,
    parentsOf(child, { jobId, jobName }) {
      if (jobId !== undefined) {
        const one = olderThan(child, byId.get(`${child.cluster}/${jobId}`) ?? []);
        return one === undefined ? tasksOf(child, jobId) : [one];
      }
      const last = newest(byName.get(nameKey(child.cluster, child.workflowId, jobName ?? "")) ?? []);
      if (last === undefined) return [];
      return isTask(last) ? tasksOf(child, arrayOf(last.jobId)) : [last];
    },
  };
}

const isTask = ({ jobId }: Pick<GraphJob, "jobId">): boolean => jobId.includes("_");
/** `95` of `95_3`. */
export const arrayOf = (jobId: string): string => jobId.split("_", 1)[0] ?? jobId;

const taskOf = (jobId: string): number => Number(jobId.split("_", 2)[1]);

/** An array that was issued the ID of an earlier one has tasks of its own; those that only the earlier one had are not its. */
function sameSubmission(tasks: readonly GraphJob[]): readonly GraphJob[] {
  const last = Math.max(0, ...tasks.map(({ attempts: [first] }) => first.incarnation));
  const reissued = tasks.filter(({ attempts: [first] }) => last > 0 && first.incarnation === last);
  const since = Math.min(...reissued.map(({ attempts: [first] }) => first.submitAt));
  return reissued.length === 0 ? tasks : tasks.filter(({ attempts: [first] }) => first.submitAt >= since - secondMs);
}

const nameKey = (...parts: readonly string[]) => JSON.stringify(parts);

function jobsOf(attempts: readonly GraphAttempt[]): GraphJob[] {
  const families = Map.groupBy(attempts, (a) => nameKey(a.cluster, a.jobId, String(a.incarnation)));
  return [...families.values()].flatMap((family) => {
    const [first, ...more] = family.toSorted((a, b) => a.attemptIndex - b.attemptIndex);
    if (first === undefined) return [];
    const { cluster, jobId, workflowId, jobName } = more.at(-1) ?? first;
    return [{ cluster, jobId, workflowId, jobName, attempts: [first, ...more] as const }];
  });
}

/** Slurm keeps whole seconds. */
const secondMs = 1_000;

/** Whoever wrote the ID knew it: the job was there before its dependent. A younger one that has the ID now is another job. */
function olderThan(child: GraphJob, sameId: readonly GraphJob[]): GraphJob | undefined {
  const byAge = sameId.toSorted((a, b) => a.attempts[0].incarnation - b.attempts[0].incarnation);
  return byAge.findLast((job) => job.attempts[0].submitAt < child.attempts[0].submitAt + secondMs) ?? byAge[0];
}

function newest(sameName: readonly GraphJob[]): GraphJob | undefined {
  let last: GraphJob | undefined;
  for (const job of sameName) if (last === undefined || isYounger(job, last)) last = job;
  return last;
}

function isYounger(a: GraphJob, b: GraphJob): boolean {
  const laterMs = a.attempts[0].submitAt - b.attempts[0].submitAt;
  if (laterMs !== 0) return laterMs > 0;
  return a.jobId.length === b.jobId.length ? a.jobId > b.jobId : a.jobId.length > b.jobId.length;
}
