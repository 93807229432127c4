/**
 * effective: of the time that training jobs had, how much became steps that were kept: the effective training time ratio (ETTR).
 *
 * In the loop   records → **figures** → people
 * Takes         attempts, each with the end of the one before it and what the one after it began from.
 * Pure, total
 * Keeps         a job that never printed a step is counted beside the ratio, never as time that was lost; the wait before a job's
 *               first start is the queue's.
 * Source        docs/figures.md.
 */
import type { Instant, Progress } from "../nouns.ts";

/** One covered attempt. */
export interface RunRecord {
  readonly heimdallJobId: string;
  readonly cluster: string;
  readonly jobId: string;
  readonly incarnation: number;
  /** Of the attempt; while it waits, of the one before it. 0: nobody told. */
  readonly nodes: number;
  /** When the attempt before it ended; for the first one, when it started. */
  readonly fromAt: Instant;
  /** Absent: it has not ended. */
  readonly endedAt?: Instant;
  readonly progress: Pick<Progress, "firstStep" | "firstStepAt" | "lastStep" | "lastStepAt">;
  /** The step that the next attempt began from, as far as it said. Absent: there is none yet, or it did not say. */
  readonly resumedFromStep?: number;
}

export interface EffectiveTime {
  /** Absent: nothing was measured. */
  readonly ratio?: number;
  readonly keptNodeHours: number;
  readonly elapsedNodeHours: number;
  readonly jobs: number;
  readonly jobsWithoutSteps: number;
}

interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

const hourMs = 3_600_000;

/** @param window What lies outside of it does not count; what has not ended lasts until `now`. */
export function effectiveOf(runs: readonly RunRecord[], window: Span, now: Instant): EffectiveTime {
  const jobs = [...Map.groupBy(runs, jobKey)];
  const isMeasured = ([, attempts]: (typeof jobs)[number]) =>
    attempts.some(({ progress }) => progress.firstStepAt !== undefined);
  const measured = jobs.filter(isMeasured);
  const within = ({ from, to }: Span) => Math.max(0, Math.min(to, window.to) - Math.max(from, window.from));
  let [kept, elapsed] = [0, 0];
  for (const run of measured.flatMap(([, attempts]) => attempts)) {
    const weight = Math.max(1, run.nodes);
    elapsed += weight * within({ from: run.fromAt, to: run.endedAt ?? Math.max(now, run.fromAt) });
    kept += weight * within(keptOf(run));
  }
  return {
    ...(elapsed > 0 ? { ratio: Math.min(1, kept / elapsed) } : {}),
    keptNodeHours: kept / hourMs,
    elapsedNodeHours: elapsed / hourMs,
    jobs: measured.length,
    jobsWithoutSteps: jobs.length - measured.length,
  };
}

/** Who only has a UUID is a job by itself. */
const jobKey = ({ heimdallJobId, cluster, jobId, incarnation }: RunRecord) =>
  jobId === "" ? heimdallJobId : JSON.stringify([cluster, jobId, incarnation]);

/** From the first step to the last one that did not have to be done again: steps are taken to be equally long. */
function keptOf({ progress, resumedFromStep }: RunRecord): Span {
  const { firstStep, firstStepAt, lastStep, lastStepAt } = progress;
  if (firstStepAt === undefined || lastStepAt === undefined) return { from: 0, to: 0 };
  if (firstStep === undefined || lastStep === undefined || resumedFromStep === undefined || lastStep <= firstStep)
    return { from: firstStepAt, to: lastStepAt };
  const share = Math.min(1, Math.max(0, (resumedFromStep - firstStep) / (lastStep - firstStep)));
  return { from: firstStepAt, to: firstStepAt + share * (lastStepAt - firstStepAt) };
}
