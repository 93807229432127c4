/**
 * constraints: which nodes a job must keep away from before it is let go, and what is given up when too few remain.
 *
 * In the loop   part of plan
 * Pure, total
 * Keeps         invariant 11: an exclusion never leaves a job unable to run, and only ours are given up. What is written names only nodes
 *               that exist: Slurm refuses the whole update for one that it does not know, also where the job itself still shows it.
 * Source        design §7; a node that was taken out of slurm.conf stays in ExcNodeList (seen on 22.05.8).
 */
import { componentsOf } from "../fact/heterogeneous.ts";
import { limits } from "../limits.ts";
import type { Instant, Seen, SlurmJob, SlurmView } from "../nouns.ts";
import { abandon, type Known, type Plan, wait } from "./step.ts";
import type { Work } from "./work.ts";

export interface Lack {
  /** The job, or the component of a heterogeneous one. */
  readonly part: SlurmJob;
  /** What it keeps away from already, whoever said so. */
  readonly kept: readonly string[];
  readonly required: readonly string[];
  readonly missing: readonly string[];
}

/** What each part lacks, the leader first. */
export function lacksOf(
  work: Work,
  view: Seen<SlurmView>,
  job: SlurmJob,
  known: Known,
  now: Instant,
): readonly [Lack, ...Lack[]] {
  const lackOf = (part: SlurmJob): Lack => {
    const required = requiredExclusions(work, view, part, known, now);
    const missing = required.filter((node) => !part.excludedNodes.includes(node));
    return { part, kept: part.excludedNodes.filter((node) => exists(view, node)), required, missing };
  };
  const [, ...led] = view.kind === "seen" ? componentsOf(job, view.value) : [job];
  return [lackOf(job), ...led.map(lackOf)];
}

/** What Slurm shows of it with these, its own kept. */
export const withRequired = ({ kept, required }: Lack): readonly string[] =>
  [...new Set([...kept, ...required])].toSorted();

/** Where the nodes could not be read, each may. */
const exists = (view: Seen<SlurmView>, node: string): boolean =>
  view.kind !== "seen" || view.value.nodes.size === 0 || view.value.nodes.has(node);

/** The author's own and the live ones, without what had to be dropped so that the job can run at all. */
function requiredExclusions(
  work: Work,
  view: Seen<SlurmView>,
  job: SlurmJob,
  known: Known,
  now: Instant,
): readonly string[] {
  const dropped = new Set(
    known.steps.filter((s) => s.generation === work.generation).flatMap((s) => s.droppedNodes ?? []),
  );
  const live = work.exclusions.filter(
    (e) => e.expiresAt > now && !dropped.has(e.node) && !job.requiredNodes.includes(e.node),
  );
  return [...new Set([...work.authorExclusions, ...live.map((e) => e.node)])].filter((node) => exists(view, node));
}

/** BadConstraints is for good: take the weakest of our exclusions away, and only of ours. */
export function dropWeakest(work: Work, lack: Lack, viewAt: Instant, known: Known): Plan {
  const { part: job, kept, required } = lack;
  const last = known.steps.at(-1);
  if (
    last?.droppedNodes !== undefined &&
    last.droppedNodes.length > 0 &&
    viewAt < (last.endedAt ?? last.begunAt) + limits.settleMs
  ) {
    return wait("Slurm has not yet looked at the smaller exclusion");
  }
  const ours = work.exclusions
    .filter((e) => required.includes(e.node) && kept.includes(e.node) && !work.authorExclusions.includes(e.node))
    .toSorted((a, b) => a.confidence - b.confidence);
  const weakest = ours[0];
  if (weakest === undefined || tooOften(work, job, known))
    return abandon("ACTION_REFUSED", "Slurm shows BadConstraints, and no exclusion of ours causes it");
  const exclude = kept.filter((node) => node !== weakest.node);
  const step = { kind: "update-constraints" as const, exclude, droppedNodes: [weakest.node] };
  return { kind: "act", step, job, why: `too few nodes remain: ${weakest.node} is allowed again` };
}

const updatesMax = 8;
/** What was not sent, because Slurm could not be read or the job had moved on, is no refusal. */
export const tooOften = (work: Work, job: SlurmJob, known: Known) =>
  known.steps.filter(
    (s) =>
      s.action === "update-constraints" &&
      s.generation === work.generation &&
      s.outcome !== "moved" &&
      (s.onJob ?? work.jobId) === job.jobId,
  ).length >= updatesMax;
