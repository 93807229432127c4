/**
 * Steps: planned steps of different jobs: into the journal, to Slurm, and what became of each into the journal.
 *
 * In the loop   plan → gate → **begin → apply → end** → the next look
 * Writes        the journal and Slurm; the caller has the lock.
 * Keeps         a step is durable before its command is sent; of one job (a heterogeneous one is one) there is never more than one in a
 *               batch, since all of them are read for at once.
 * Fails         a journal that cannot be written throws: before the commands nothing was sent, after them a step has no end.
 * Bound         `limits.commandBatchMax` in a batch, or what the configuration says.
 */
import { limits } from "@reprise/core/limits.ts";
import { traceOf } from "@reprise/core/sequence/sequence.ts";
import type { Act, Step } from "@reprise/core/plan/step.ts";
import type { StepOutcome, Work } from "@reprise/core/plan/work.ts";
import { commandOf, expectedOf } from "../command-of.ts";
import { beginsRecovery } from "../gate.ts";
import { readOrdersWhile } from "../orders.ts";
import type { Outcome } from "../slurm/slurm.ts";
import type { Parts, State } from "../state.ts";

interface Begun {
  readonly key: string;
  readonly work: Work;
  readonly act: Act;
}

export class Steps {
  /** So many were sent. */
  taken = 0;
  /** Of one that was sent nobody knows the outcome: Slurm is slow or away, and the next look comes first. */
  isDoubtful = false;
  private readonly parts: Parts;
  private readonly state: State;
  private batch: Begun[] = [];

  constructor(parts: Parts, state: State) {
    this.parts = parts;
    this.state = state;
  }

  hasRoomFor(act: Act): boolean {
    const { stepsTogetherMax = limits.commandBatchMax } = this.parts.config;
    return this.batch.length < stepsTogetherMax && this.batch.every((other) => wholeOf(other.act) !== wholeOf(act));
  }

  begin(work: Work, act: Act): void {
    const { journal, clock } = this.parts;
    const bootedAt = this.state.slurm?.bootedAt;
    const { step, job } = act;
    const { kind: action } = step;
    const sourceRan = step.kind === "requeue-hold" ? { sourceRan: step.isRunning } : {};
    const updated = step.kind === "update-constraints" ? inJournalOf(step) : {};
    const booted = step.kind === "release" && bootedAt !== undefined ? { bootedAt } : {};
    const onJob = job.jobId === work.jobId ? {} : { onJob: job.jobId };
    const key = journal.begin({ action, work, ...sourceRan, ...booted, ...updated, ...onJob }, clock.now());
    this.batch.push({ key, work, act });
  }

  async send(): Promise<void> {
    const { parts, state, batch } = this;
    const { journal, clock, slurm, log } = parts;
    if (batch.length === 0) return;
    this.batch = [];
    const orders = batch.map(({ act: { step, job } }) => ({
      command: commandOf(step, job),
      fence: { expected: expectedOf(step, job), ...parts.fence(state) },
    }));
    const sent = slurm.applyAll(orders);
    const outcomes = await (batch.some(begins) ? readOrdersWhile(parts, state, sent) : sent);
    for (const [i, { key, work, act }] of batch.entries()) {
      const outcome = outcomes[i] ?? { kind: "unknown", detail: "nobody said what became of it" };
      journal.end(key, inJournal(act.step.kind, outcome), detailOf(outcome), clock.now());
      const what = { job: act.job.jobId, attempt: work.attemptIndex, trace: traceOf(work), step: act.step.kind };
      log.info({ ...what, outcome: outcome.kind, detail: detailOf(outcome) }, act.why);
      if (outcome.kind === "unknown") this.isDoubtful = true;
    }
    this.taken += batch.length;
  }
}

const inJournalOf = ({ exclude, ours, droppedNodes }: Step & { kind: "update-constraints" }) => ({
  written: { exclude, ours },
  ...(droppedNodes.length > 0 ? { droppedNodes } : {}),
});

const begins = ({ act, work }: Begun): boolean => beginsRecovery(act.step, work);

const wholeOf = ({ job }: Act): string => job.hetJobId ?? job.jobId;

/** A requeue that Slurm refuses because the job has moved on is not refused for good: look again. */
function inJournal(kind: string, outcome: Outcome): StepOutcome {
  if (outcome.kind !== "refused" || kind !== "requeue-hold") return outcome.kind;
  const forGood = ["requeue-disabled", "not-batch", "not-allowed", "not-het-leader"];
  return forGood.includes(outcome.code) ? "refused" : "moved";
}

const detailOf = (outcome: Outcome) => (outcome.kind === "done" ? "" : outcome.detail);
