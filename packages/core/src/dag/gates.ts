/**
 * gates: for every job that waits for others, whether each of its gates is open, still closed, or will never open.
 *
 * In the loop   graph → **gates** → Situation → decide → Advice RELEASED or TERMINATED
 * Gives         one report a waiting job, by the UUID of its attempt.
 * Pure, total   no clock, no I/O, no throw.
 * Keeps         a gate is judged by its parent's end for good, never by an attempt that may be restarted; a job that waits for
 *               itself, or for one that nobody has seen, is refused with the path, and never let go.
 * Source        design §8; docs/decisions/0024.
 * Bound         linear in jobs and dependencies; `make bench-decide` measures 1,000.
 */
import type { DagDependency } from "../nouns.ts";
import { cyclesOf } from "./cycles.ts";
import { arrayOf, type GraphAttempt, type GraphJob, graphOf, isWaiting } from "./graph.ts";
import { type Standing, standingOf } from "./standing.ts";

export interface Gate {
  /** `job 12345`, `job 12345 (train)` (of a whole array its ID), or the name alone while nobody has that name. */
  readonly parent: string;
  readonly trigger: DagDependency["trigger"];
  readonly state: "open" | "closed" | "never" | "refused";
  /** Closed, for as long as nobody has decided what follows from the parent's end. */
  readonly isPassing?: true;
  /** A clause that says why, for the author: "job 12345 (train) is running". */
  readonly why: string;
}

/** All gates of one waiting job, in the order in which its author named them. */
export type Gates = readonly Gate[];

export function gatesOf(attempts: readonly GraphAttempt[]): ReadonlyMap<string, Gates> {
  const graph = graphOf(attempts);
  const waiting = graph.jobs.filter(({ attempts: [first, ...later] }) => later.length === 0 && isWaiting(first));
  const parents = new Map(waiting.map((job) => [job, dependenciesOf(job).map((d) => graph.parentsOf(job, d))]));
  const cycles = waysRound(waiting, parents);
  const standings = new Map<GraphJob, Standing>();
  const standing = (job: GraphJob): Standing => {
    const known = standings.get(job) ?? standingOf(job);
    standings.set(job, known);
    return known;
  };
  return new Map(
    waiting.map((job) => [
      job.attempts[0].heimdallJobId,
      dependenciesOf(job).map((dependency, i) =>
        gateOf(job, dependency, parents.get(job)?.[i] ?? [], standing, cycles.get(job)),
      ),
    ]),
  );
}

function dependenciesOf({ attempts: [{ coverage }] }: GraphJob): readonly DagDependency[] {
  return coverage.kind === "covered" ? coverage.policy.dagDependencies : [];
}

/** A way round, as its jobs; `from` is where the job that is asked about stands. */
interface WayRound {
  readonly way: readonly GraphJob[];
  readonly from: number;
}

/** Only who still waits can wait for himself: what has started is past its gates. */
function waysRound(
  waiting: readonly GraphJob[],
  parents: ReadonlyMap<GraphJob, readonly (readonly GraphJob[])[]>,
): ReadonlyMap<GraphJob, WayRound> {
  const numbers = new Map(waiting.map((job, i) => [job, i]));
  const edges = waiting.map((job) => (parents.get(job) ?? []).flat().flatMap((parent) => numbers.get(parent) ?? []));
  const found = new Map<GraphJob, WayRound>();
  const ways = new Map<readonly number[], readonly GraphJob[]>();
  for (const [number, { way, at: from }] of cyclesOf(edges)) {
    const jobs = ways.get(way) ?? way.flatMap((on) => waiting[on] ?? []);
    ways.set(way, jobs);
    const job = waiting[number];
    if (job !== undefined) found.set(job, { way: jobs, from });
  }
  return found;
}

function gateOf(
  child: GraphJob,
  dependency: DagDependency,
  parents: readonly GraphJob[],
  standing: (job: GraphJob) => Standing,
  cycle: WayRound | undefined,
): Gate {
  const { trigger } = dependency;
  const [first] = parents;
  if (first === undefined) {
    const missing = namedBy(dependency);
    return { parent: missing, trigger, state: "refused", why: missingWhy(dependency, child) };
  }
  const name = parents.length === 1 ? nameOf(first) : nameOf({ ...first, jobId: arrayOf(first.jobId) });
  if (parents.includes(child)) return { parent: name, trigger, state: "refused", why: `${name} waits for itself` };
  // Of the gates of a job on a cycle only the one that leads round is at fault.
  const round = cycle === undefined ? undefined : stop(cycle, 1);
  if (cycle !== undefined && round !== undefined && parents.includes(round))
    return { parent: name, trigger, state: "refused", why: `the jobs wait for each other: ${pathWords(cycle)}` };
  const states = parents.map((parent) => stateOf(trigger, standing(parent)));
  const state = stateOfAll(trigger, states);
  const isPassing = state === "closed" && parents.some((parent) => standing(parent).isUndecided);
  const passing = isPassing ? { isPassing } : {};
  // The first that is the reason: of a whole array that has failed, a task that has.
  const deciding = states.indexOf(state);
  const { words } = standing(parents[deciding] ?? first);
  if (parents.length === 1) return { parent: name, trigger, state, ...passing, why: `${name} ${words}` };
  const more = states.filter((other) => other === state).length - 1;
  const others = more === 0 ? "" : `, and ${more} more like it`;
  const task = parents[deciding]?.jobId ?? "";
  const why = `of the ${parents.length} tasks of ${name}, ${task} ${words}${others}`;
  return { parent: name, trigger, state, ...passing, why };
}

type TaskState = "open" | "closed" | "never";

/**
 * Of a whole array: it has succeeded when each task has, it has started when each has, it has ended when the last one has; and it has
 * failed when it has ended and some task has failed. For one job it is that job's.
 */
function stateOfAll(trigger: DagDependency["trigger"], states: readonly TaskState[]): TaskState {
  if (trigger === "on_failure") {
    if (states.includes("closed")) return "closed";
    return states.includes("open") ? "open" : "never";
  }
  if (states.includes("never")) return "never";
  return states.includes("closed") ? "closed" : "open";
}

function stateOf(
  trigger: DagDependency["trigger"],
  { kind, hasStarted, isTerminated }: Pick<Standing, "kind" | "hasStarted" | "isTerminated">,
): TaskState {
  const hasEnded = kind === "succeeded" || kind === "failed";
  switch (trigger) {
    case "on_success":
      if (kind === "succeeded") return "open";
      return kind === "failed" || isTerminated ? "never" : "closed";
    case "on_failure":
      if (kind === "failed") return "open";
      return kind === "succeeded" ? "never" : "closed";
    case "on_completion":
      return hasEnded ? "open" : "closed";
    case "on_start":
      if (hasStarted) return "open";
      return hasEnded || isTerminated ? "never" : "closed";
  }
}

const nameOf = ({ jobId, jobName }: Pick<GraphJob, "jobId" | "jobName">) =>
  jobName === undefined ? `job ${jobId}` : `job ${jobId} (${jobName})`;

const namedBy = ({ jobId, jobName }: DagDependency) =>
  jobId === undefined ? `the job named "${jobName ?? ""}"` : `job ${jobId}`;

function missingWhy(dependency: DagDependency, { cluster, workflowId }: GraphJob): string {
  const where = dependency.jobId === undefined ? `in workflow "${workflowId}"` : `on cluster "${cluster}"`;
  return `nobody has seen ${namedBy(dependency)} ${where}`;
}

/** A person reads the path: of a long one both ends. */
const pathJobsMax = 12;

function pathWords(cycle: WayRound): string {
  const jobs = cycle.way.length + 1; // Back at the first one.
  const names = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => shortName(stop(cycle, from + i))).join(" → ");
  if (jobs <= pathJobsMax) return names(0, jobs);
  const half = pathJobsMax / 2;
  return `${names(0, half)} → … (${jobs - pathJobsMax} more) → ${names(jobs - half, jobs)}`;
}

const stop = ({ way, from }: WayRound, steps: number): GraphJob | undefined => way[(from + steps) % way.length];

const shortName = (job: GraphJob | undefined) =>
  job === undefined ? "" : job.jobName === undefined ? job.jobId : `${job.jobId} (${job.jobName})`;
