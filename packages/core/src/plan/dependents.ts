/**
 * dependents: who waits for a job by Slurm's own `--dependency`, and what of that a failure has broken.
 *
 * In the loop   part of plan
 * Takes         Dependency as squeue shows it: `afterok:12(failed),aftercorr:7_*(unfulfilled)?singleton(unfulfilled)`. What was
 *               fulfilled is not shown any more.
 * Pure, total   a part that cannot be read names nobody.
 * Keeps         only what waits for this very job, and what Slurm can be made to judge again, is mended.
 * Source        design §8; slurm.md §2.8; docs/decisions/0032; seen on 22.05.8.
 */
import { hasEnded } from "../fact/slurm-state.ts";
import { limits } from "../limits.ts";
import type { SlurmJob, SlurmView } from "../nouns.ts";
import { parseRecoveryComment } from "../policy/recovery-comment.ts";
import type { Site } from "./step.ts";

interface Part {
  readonly kind: string;
  /** `12`, `7_3`, or `7_*` for a whole array. Absent of a singleton. */
  readonly target?: string;
  readonly hasFailed: boolean;
}

const partForm = /^(?:(singleton)|([a-z]+):(\d+(?:_(?:\d+|\*))?)(?:\+\d+)?)\((unfulfilled|failed)\)$/;

const textsOf = (dependency: string | undefined): readonly string[] => (dependency ?? "").split(/[,?]/);

function partsOf(dependency: string | undefined): readonly Part[] {
  return textsOf(dependency).flatMap((text) => {
    const [, singleton, kind = singleton, target, state] = partForm.exec(text) ?? [];
    if (kind === undefined) return [];
    return [{ kind, ...(target === undefined ? {} : { target }), hasFailed: state === "failed" }];
  });
}

/** The author wants one job of this name at a time. Slurm shows it only while the job waits. */
export const isSingleton = (dependency: string | undefined): boolean =>
  partsOf(dependency).some(({ kind, target }) => kind === "singleton" && target === undefined);

/** Jobs that wait for this one, or did when Slurm ended them, by its own name or by its array's; another task's are not its. */
export function dependentsOf(parent: SlurmJob, view: SlurmView): readonly SlurmJob[] {
  return [...view.jobs.values()].filter((job) => waitsFor(job, parent).length > 0);
}

/** The jobs, or arrays, that somebody waits for, by the names that their dependents use; and those dependents. */
export function awaitedJobs({ jobs, unreadable }: Rows): ReadonlyMap<string, readonly string[]> {
  const awaited = new Map<string, string[]>();
  const add = (jobId: string, dependency: string | undefined) => {
    if (dependency === undefined) return;
    const names = partsOf(dependency).flatMap(({ target }) => target?.replace("_*", "") ?? []);
    for (const name of new Set(names)) {
      const waiting = awaited.get(name);
      if (waiting === undefined) awaited.set(name, [jobId]);
      else waiting.push(jobId);
    }
  };
  for (const { jobId, dependency } of jobs.values()) add(jobId, dependency);
  for (const [jobId, { shown }] of unreadable) add(jobId, shown?.dependency);
  return awaited;
}

type Rows = Pick<SlurmView, "jobs" | "unreadable">;

/** Each job with who waits for it in this view, where somebody does. */
export function withDependents(jobs: readonly SlurmJob[], view: Rows): readonly SlurmJob[] {
  const awaited = awaitedJobs(view);
  if (awaited.size === 0) return jobs;
  return jobs.map((job) => {
    const ofArray = job.arrayJobId === undefined ? [] : (awaited.get(job.arrayJobId) ?? []);
    const dependents = [...new Set([...(awaited.get(job.jobId) ?? []), ...ofArray])];
    return dependents.length === 0 ? job : { ...job, dependents: dependents.slice(0, limits.dependentsToldMax) };
  });
}

type Waiting = Pick<SlurmJob, "dependency" | "arrayTaskId">;

/** The same of a row that could not be read. */
export const mayWaitFor = (child: Waiting, parent: SlurmJob): boolean => waitsFor(child, parent).length > 0;

function waitsFor(child: Waiting, parent: SlurmJob): readonly Part[] {
  return partsOf(child.dependency).filter(({ kind, target }) => {
    if (target === undefined) return false;
    if (target === parent.jobId) return true;
    if (parent.arrayJobId === undefined || target !== `${parent.arrayJobId}_*`) return false;
    return kind !== "aftercorr" || child.arrayTaskId === parent.arrayTaskId;
  });
}

export type Loss =
  /** The same once more makes Slurm judge it again. */
  | { readonly kind: "mendable"; readonly dependency: string }
  /** Slurm remembers for a whole array that a task of it has failed, whatever becomes of the task; or it says what we cannot read. */
  | { readonly kind: "for-good" };

/** What the failure of `parent` has broken of a job that waits for it. Undefined: nothing. */
export function lossOf(child: SlurmJob, parent: SlurmJob): Loss | undefined {
  const lost = waitsFor(child, parent).filter(({ hasFailed }) => hasFailed);
  if (lost.length === 0) return undefined;
  if (partsOf(child.dependency).length < textsOf(child.dependency).length) return { kind: "for-good" };
  if (lost.some(({ kind, target }) => kind !== "aftercorr" && target?.endsWith("_*"))) return { kind: "for-good" };
  return { kind: "mendable", dependency: asAsked(child.dependency ?? "") };
}

/** As its author would write it: Slurm adds its verdicts, and the star of an array, by itself. */
const asAsked = (shown: string): string => shown.replaceAll(/\((?:unfulfilled|failed)\)|_\*/g, "");

/** The job is opted in, and in partitions that SAC acts on: it may be changed for another one's sake. */
export function mayMend(child: SlurmJob, site: Site): boolean {
  const coverage = parseRecoveryComment(child.comment, site);
  if (coverage.kind !== "covered" || coverage.policy.autoResumeMode === "off") return false;
  return child.partition.split(",").every((one) => site.partitions.includes(one));
}

/** A parent whose last run failed would only be judged so again. */
export const canBeAwaited = (parent: SlurmJob): boolean => !hasEnded(parent) || parent.state === "COMPLETED";
