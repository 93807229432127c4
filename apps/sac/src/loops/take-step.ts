/**
 * takeStep: one planned step: into the journal, to Slurm, and what became of it into the journal.
 *
 * In the loop   plan → gate → **begin → apply → end** → the next look
 * Writes        the journal and Slurm; the caller has the lock.
 * Fails         a journal that cannot be written throws: before the command nothing was sent, after it the step has no end.
 */
import type { Act } from "@reprise/core/plan/step.ts";
import type { StepOutcome, Work } from "@reprise/core/plan/work.ts";
import { commandOf, expectedOf } from "../command-of.ts";
import type { Outcome } from "../slurm/slurm.ts";
import type { Parts, State } from "../state.ts";

export async function takeStep(parts: Parts, state: State, work: Work, { step, job, why }: Act): Promise<void> {
  const { journal, clock, slurm, log } = parts;
  const sourceRan = step.kind === "requeue-hold" ? { sourceRan: step.isRunning } : {};
  const dropped =
    step.kind === "update-constraints" && step.droppedNodes.length > 0 ? { droppedNodes: step.droppedNodes } : {};
  const onJob = job.jobId === work.jobId ? {} : { onJob: job.jobId };
  const key = journal.begin({ action: step.kind, work, ...sourceRan, ...dropped, ...onJob }, clock.now());

  const outcome = await slurm.apply(commandOf(step, job), { expected: expectedOf(step, job), ...parts.fence(state) });
  journal.end(key, inJournal(step.kind, outcome), detailOf(outcome), clock.now());
  log.info(
    { job: job.jobId, attempt: work.attemptIndex, step: step.kind, outcome: outcome.kind, detail: detailOf(outcome) },
    why,
  );
}

/** A requeue that Slurm refuses because the job has moved on is not refused for good: look again. */
function inJournal(kind: string, outcome: Outcome): StepOutcome {
  if (outcome.kind !== "refused" || kind !== "requeue-hold") return outcome.kind;
  const forGood = ["requeue-disabled", "not-batch", "not-allowed", "not-het-leader"];
  return forGood.includes(outcome.code) ? "refused" : "moved";
}

const detailOf = (outcome: Outcome) => (outcome.kind === "done" ? "" : outcome.detail);
