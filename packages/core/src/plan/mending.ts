/**
 * mending: the jobs that Slurm makes wait for a restarted one, and that its failure has lost.
 *
 * In the loop   part of plan, once a restart is confirmed
 * Gives         the next of them that is to be set again; else what became of all of them, for the record.
 * Pure, total
 * Keeps         only opted-in jobs of allowed partitions are changed, and only while they wait; what Slurm has cancelled or started is
 *               never undone, and is told.
 * Bound         `limits.dependentsToldMax` of them are named; each is set again at most `repairsMax` times a generation.
 * Source        design §8; docs/decisions/0032.
 */
import { isPending } from "../fact/slurm-state.ts";
import { limits } from "../limits.ts";
import type { SlurmJob, SlurmView } from "../nouns.ts";
import { canBeAwaited, dependentsOf, lossOf, mayMend } from "./dependents.ts";
import type { Known, Plan } from "./step.ts";
import type { Work } from "./work.ts";

const repairsMax = 2;

export interface Dependents {
  readonly step?: Plan;
  /** To follow a sentence; empty: nobody waited. */
  readonly words: string;
}

export function planDependents(work: Work, parent: SlurmJob, view: SlurmView, known: Known): Dependents {
  const said: string[] = [];
  const repairs = known.steps.filter((s) => s.action === "repair-dependency" && s.generation === work.generation);
  for (const child of dependentsOf(parent, view)) {
    const loss = lossOf(child, parent);
    const times = repairs.filter(({ onJob }) => onJob === child.jobId).length;
    if (!isPending(child)) {
      if (loss !== undefined) said.push(`${child.jobId} was lost (${child.state})`);
    } else if (loss === undefined) {
      said.push(`${child.jobId} waits${times > 0 ? " again" : ""}`);
    } else if (loss.kind === "for-good") {
      said.push(`${child.jobId} is lost, and Slurm would not judge it again (${child.dependency ?? ""})`);
    } else if (known.site === undefined || !mayMend(child, known.site)) {
      said.push(`${child.jobId} is lost, and not opted in here: set its Dependency to ${loss.dependency}`);
    } else if (times >= repairsMax || !canBeAwaited(parent)) {
      said.push(`${child.jobId} is lost (${child.dependency ?? ""})`);
    } else {
      const step = { kind: "repair-dependency", dependency: loss.dependency } as const;
      const why = `the restart of job ${parent.jobId} is confirmed: job ${child.jobId} waits for it again`;
      return { step: { kind: "act", step, job: child, why }, words: "" };
    }
  }
  if (said.length === 0) return { words: "" };
  const more = said.length - limits.dependentsToldMax;
  const told = said.slice(0, limits.dependentsToldMax).join("; ");
  return { words: `. Of its Slurm dependents: ${told}${more > 0 ? `; and ${more} more` : ""}` };
}
