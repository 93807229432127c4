/**
 * constraints: which nodes a job must keep away from before it is let go, and what is given up when too few remain.
 *
 * In the loop   part of plan
 * Pure, total
 * Keeps         invariant 11: an exclusion never leaves a job unable to run, and only ours are given up. Ours are those that the journal
 *               says we added, as long as the list is the one that we wrote: whoever has edited it since has made it his own. What is
 *               written names only nodes that exist: Slurm refuses the whole update for one that it does not know, also where the job
 *               itself still shows it.
 * Source        design §7; docs/decisions/0047; a node that was taken out of slurm.conf stays in ExcNodeList (seen on 22.05.8).
 */
import { componentsOf } from "../fact/heterogeneous.ts";
import { limits } from "../limits.ts";
import type { Instant, Seen, SlurmJob, SlurmView } from "../nouns.ts";
import { abandon, type Known, type Plan, wait } from "./step.ts";
import type { Constraints, Work, Written } from "./work.ts";

export interface Lack {
  /** The job, or the component of a heterogeneous one. */
  readonly part: SlurmJob;
  /** What it keeps away from already, whoever said so. */
  readonly kept: readonly string[];
  readonly required: readonly string[];
  readonly missing: readonly string[];
  /** Of what it keeps away from, what recovery added: in this attempt or before one that has run since. */
  readonly ours: readonly string[];
  /** Ours that nothing asks for any more: expired, answered by a repair, or dropped. */
  readonly over: readonly string[];
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
    const ours = oursOn(work, part, known);
    const over = ours.filter((node) => !required.includes(node));
    return { part, kept: part.excludedNodes.filter((node) => exists(view, node)), required, missing, ours, over };
  };
  const [, ...led] = view.kind === "seen" ? componentsOf(job, view.value) : [job];
  return [lackOf(job), ...led.map(lackOf)];
}

/** Whoever has edited the list since we wrote it has made what he left in it his own. */
export function asWritten(
  { jobId, excludedNodes }: SlurmJob,
  { written }: Pick<Known, "written">,
): Written | undefined {
  const last = written?.get(jobId);
  if (last === undefined || last.exclude.length !== excludedNodes.length) return undefined;
  return last.exclude.every((node) => excludedNodes.includes(node)) ? last : undefined;
}

function oursOn(work: Work, job: SlurmJob, known: Known): readonly string[] {
  const last = asWritten(job, known);
  if (last === undefined) return [];
  const isEarlier = last.by.attemptIndex < work.attemptIndex || last.by.heimdallJobId === work.heimdallJobId;
  return isEarlier ? last.ours : []; // Else the ID was another job's then.
}

/** What Slurm shows of it with what is required, its own kept, and without ours that are over. */
export function constraintsOf({ authorExclusions, exclusions }: Work, lack: Lack): Constraints {
  const { kept, required, missing, ours, over } = lack;
  const exclude = [...new Set([...kept.filter((node) => !over.includes(node)), ...required])].toSorted();
  const others = new Set([...authorExclusions, ...exclusions.filter((e) => e.isInherited).map(({ node }) => node)]);
  const isOurs = (node: string) => !others.has(node) && (ours.includes(node) || missing.includes(node));
  return { exclude, ours: exclude.filter(isOurs) };
}

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

/** BadConstraints is for good: take what is over and then the weakest of our exclusions away, and only of ours. */
export function dropWeakest(work: Work, lack: Lack, viewAt: Instant, known: Known): Plan {
  const { part: job, kept, required, over } = lack;
  const last = known.steps.at(-1);
  if (
    last?.droppedNodes !== undefined &&
    last.droppedNodes.length > 0 &&
    viewAt < (last.endedAt ?? last.begunAt) + limits.settleMs
  ) {
    return wait("Slurm has not yet looked at the smaller exclusion");
  }
  // Advice tells the strongest first: of equal ones the last is the weakest.
  const ours = work.exclusions
    .filter((e) => required.includes(e.node) && kept.includes(e.node) && !work.authorExclusions.includes(e.node))
    .toReversed()
    .toSorted((a, b) => a.confidence - b.confidence);
  const droppedNodes = over.length > 0 ? over : ours.slice(0, 1).map((e) => e.node);
  if (droppedNodes.length === 0 || tooOften(work, job, known))
    return abandon("ACTION_REFUSED", "Slurm shows BadConstraints, and no exclusion of ours causes it");
  const { exclude, ours: stillOurs } = constraintsOf(work, { ...lack, required: [], missing: [], over: droppedNodes });
  const step = { kind: "update-constraints" as const, exclude, ours: stillOurs, droppedNodes };
  return { kind: "act", step, job, why: `too few nodes remain: ${droppedNodes.join(", ")} is allowed again` };
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
