/**
 * plan-launch: what comes next for a job that Slurm holds because it could not be launched: keep it away from that node, let it go.
 *
 * In the loop   part of plan
 * Pure, total
 * Keeps         invariant 10: only the hold that Slurm laid for a failed launch, as its reason says; anybody else's stays.
 * Source        design §6, §7; slurm.md §2.4; cases E01–E03, E05.
 */
import { launchHoldOf } from "../fact/launch-hold.ts";
import { hasBadConstraints, isPending } from "../fact/slurm-state.ts";
import type { Instant, SlurmJob } from "../nouns.ts";
import { constraintsOf, dropWeakest, lacksOf, tooOften } from "./constraints.ts";
import { planRelease } from "./release.ts";
import { abandon, type Known, type Plan, type SeenView } from "./step.ts";
import type { Work } from "./work.ts";

export function planLaunch(work: Work, job: SlurmJob, ahead: number, view: SeenView, known: Known, now: Instant): Plan {
  const release = () => planRelease(work, job, ahead, view.at, known, now, "Slurm could not launch it; its hold goes");
  if (ahead !== 0 || !isPending(job) || work.withdrawn || now >= work.expiresAt) return release();
  const lacks = lacksOf(work, view, job, known, now);
  const bad = lacks.find(({ part }) => hasBadConstraints(part));
  if (bad !== undefined) return dropWeakest(work, bad, view.at, known);
  if (job.priority === 0 && launchHoldOf(job.reason) !== "failed")
    return abandon("HELD_BY_OTHERS", `the job carries another hold than that of a failed launch (${job.reason})`);
  const lack = lacks.find(({ part, missing }) => missing.length > 0 && !tooOften(work, part, known));
  if (lack === undefined) return release();
  // Slurm holds it, not we: nothing is taken out. And no Advice of a later restart speaks of this node, so that it is not ours to give back.
  const constraints = constraintsOf(work, { ...lack, missing: [], over: [] });
  const step = { kind: "update-constraints", ...constraints, droppedNodes: [] } as const;
  const why = `keep it away from ${lack.missing.join(", ")}, where it could not be launched`;
  return { kind: "act", step, job: lack.part, why };
}
