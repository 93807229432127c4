/**
 * dependency: what `--dependency` says, and whether it is so.
 *
 * Keeps    a dependency that has failed stays failed until it is set again, whatever its parent does later. One on a job that slurmctld
 *          does not know counts for nothing and is dropped when it is tested.
 * Source   slurm.md §2.8; `test_job_dependency` of slurmctld; seen on 22.05.8.
 */
import type { Ledger } from "./ledger.ts";
import { type Dependency, type DependencyTarget, hasAllocation, isFinal, type JobRecord } from "./record.ts";
import { arrayOf, splitOff, tasksOf } from "./tasks.ts";

/** `afterok:12:13,singleton` → each part; `undefined` for what Slurm calls a "Job dependency problem". */
export function parseDependency(ledger: Ledger, text: string, own?: JobRecord): readonly Dependency[] | undefined {
  const found: Dependency[] = [];
  for (const part of text.split(/[,?]/).filter((one) => one !== "")) {
    if (part === "singleton") found.push({ kind: "singleton", hasFailed: false });
    else {
      const [, kind, targets] =
        /^(after|afterany|afterok|afternotok|aftercorr)((?::\d+(?:_(?:\d+|\*))?)+)$/.exec(part) ?? [];
      if (kind === undefined || targets === undefined) return undefined;
      for (const target of targets
        .slice(1)
        .split(":")
        .map((one) => parseTarget(ledger, one))) {
        if (target.jobId === own?.recordId) return undefined;
        found.push({ kind: kind as Dependency["kind"], target, hasFailed: false });
      }
    }
  }
  return found;
}

/** An array's number means all of its tasks: shown as `12_*`. */
function parseTarget(ledger: Ledger, text: string): DependencyTarget {
  const [first = "", task = "*"] = text.split("_");
  const jobId = Number(first);
  if (task !== "*") return { jobId, taskId: Number(task) };
  return arrayOf(ledger, jobId).length > 0 ? { jobId, isArray: true } : { jobId };
}

function targetsOf(ledger: Ledger, { jobId, taskId }: DependencyTarget): JobRecord[] {
  const one = ledger.jobs.get(jobId);
  if (one !== undefined && one.arrayJobId === undefined) return [one];
  const tasks = arrayOf(ledger, jobId);
  return taskId === undefined ? tasks : tasks.filter((job) => tasksOf(job).includes(taskId));
}

type Verdict = "fulfilled" | "waiting" | "failed";

/** Tests them all now; changes the job only when something has changed. */
export function testDependencies(ledger: Ledger, job: JobRecord): Verdict {
  if (job.dependency.length === 0) return "fulfilled";
  const tested = job.dependency.map((one) => ({
    one,
    verdict: one.hasFailed ? "failed" : verdictOf(ledger, job, one),
  }));
  const left = tested
    .filter(({ verdict }) => verdict !== "fulfilled")
    .map(({ one, verdict }) => ({ ...one, hasFailed: verdict === "failed" }));
  const isNew =
    left.length !== job.dependency.length || left.some((one, i) => one.hasFailed !== job.dependency[i]?.hasFailed);
  if (isNew) ledger.change(job).dependency = left;
  if (left.some((one) => one.hasFailed)) return "failed";
  return left.length === 0 ? "fulfilled" : "waiting";
}

function verdictOf(ledger: Ledger, job: JobRecord, { kind, target }: Dependency): Verdict {
  if (kind === "singleton" || target === undefined) return isAlone(ledger, job) ? "fulfilled" : "waiting";
  if (kind === "aftercorr") return ofCounterpart(ledger, target, job.taskId);
  const parents = targetsOf(ledger, target);
  if (target.isArray === true) return ofArray(kind, parents);
  const verdicts = parents.map((parent) => ofParent(kind, parent));
  if (verdicts.includes("failed")) return "failed";
  return verdicts.includes("waiting") ? "waiting" : "fulfilled";
}

function ofParent(kind: Dependency["kind"], parent: JobRecord): Verdict {
  const isSpecial = parent.base === "PENDING" && parent.shownAs === "SPECIAL_EXIT";
  if (kind === "after") return parent.base === "PENDING" ? "waiting" : "fulfilled";
  if (!isSpecial && (!isFinal(parent) || parent.completing)) return "waiting";
  if (kind === "afterany") return isSpecial ? "waiting" : "fulfilled";
  const isOk = parent.base === "COMPLETED";
  return isOk === (kind === "afterok") ? "fulfilled" : "failed";
}

/** It is judged when the last task has ended; and a task that failed once has failed, whatever its restart came to. */
function ofArray(kind: Dependency["kind"], tasks: readonly JobRecord[]): Verdict {
  if (kind === "after") return tasks.every(({ base }) => base !== "PENDING") ? "fulfilled" : "waiting";
  if (tasks.some((task) => !isFinal(task) || task.completing)) return "waiting";
  if (kind === "afterany") return "fulfilled";
  const isOk = !tasks.some(({ hasEverFailed }) => hasEverFailed);
  return isOk === (kind === "afterok") ? "fulfilled" : "failed";
}

/** A task waits for the task of its own number. */
function ofCounterpart(ledger: Ledger, target: DependencyTarget, taskId: number | undefined): Verdict {
  if (taskId === undefined) return "waiting";
  const verdicts = targetsOf(ledger, { jobId: target.jobId, taskId }).map((parent) => ofParent("afterok", parent));
  return verdicts[0] ?? "fulfilled";
}

/** Tasks whose counterparts have ended get records of their own: each is judged by itself. */
export function splitCounterparts(ledger: Ledger, job: JobRecord): readonly JobRecord[] {
  const target = job.dependency.find(({ kind }) => kind === "aftercorr")?.target;
  if (target === undefined || job.unsplit.length === 0) return [job];
  const judged = job.unsplit.filter((taskId) => ofCounterpart(ledger, target, taskId) !== "waiting");
  return [...new Set([...judged.map((taskId) => splitOff(ledger, job, taskId)), job])];
}

/** No other job of this name and user runs, and none that was submitted earlier waits, for whatever. */
function isAlone(ledger: Ledger, job: JobRecord): boolean {
  for (const other of ledger.jobs.values()) {
    if (
      other === job ||
      other.user !== job.user ||
      other.name !== job.name ||
      (job.hetJobId !== undefined && other.hetJobId === job.hetJobId)
    )
      continue;
    if (hasAllocation(other)) return false;
    if (other.base === "PENDING" && other.recordId < job.recordId) return false;
  }
  return true;
}
