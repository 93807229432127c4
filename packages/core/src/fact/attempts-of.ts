/**
 * attempts-of: which attempts one row of Slurm speaks of, and what it says of each.
 *
 * In the loop   look → SlurmJob → **attemptsOf** → reports → facts
 * Takes         one row, and what the row before it showed (absent: nobody looked before).
 * Gives         one attempt; two while a requeued one is still ending: attempt k runs until it has left, although the row
 *               already counts k+1, which is pending and has never started.
 * Pure, total
 * Keeps         nothing is said to have started, or ended, that Slurm has not shown so (invariant 6).
 * Source        slurm.md: a requeue raises the count at once, and resets the submit time only when the job is PENDING again; man
 *               squeue, NodeList: of a COMPLETING job only the nodes that have not yet been returned to service.
 */
import type { Instant, JmState, JobStatus, SlurmJob } from "../nouns.ts";
import { readSlurmState } from "./slurm-state.ts";

/** What is remembered of the last row that told something: made by `lastSeenOf` only. */
export interface LastSeen {
  readonly restartCount: number;
  /** As the row showed it. */
  readonly submitAt: Instant;
  /** The row counted an attempt that was still waiting for the one before it to leave. */
  readonly isWaiting: boolean;
}

export interface AttemptSight {
  readonly jobId: string;
  readonly attemptIndex: number;
  /** Absent: Slurm did not say. The record keeps its last one. */
  readonly status?: JobStatus;
  readonly jmState: JmState;
  /** Of this attempt, all of them. Empty: it has none yet, or Slurm does not show them all (any more); the record keeps what it has. */
  readonly nodes: readonly string[];
  /** This attempt's own. Absent while the row still shows, or may show, another attempt's. */
  readonly submitAt?: Instant;
}

export function attemptsOf(job: SlurmJob, lastSeen?: LastSeen): AttemptSight[] {
  const { jobId, restartCount, submitAt } = job;
  const { phase, status, jmState } = readSlurmState(job.state);
  const nodes = phase === "completing" ? [] : job.nodes; // Its list shrinks: only those that have not been returned yet.
  const current = { jobId, attemptIndex: restartCount };
  const unknown: AttemptSight = { ...current, jmState: "UNKNOWN", nodes };

  if (status === undefined) return [unknown];
  if (phase !== "completing") return [{ ...current, status, jmState, nodes, submitAt }];

  switch (whoIsCompleting(job, lastSeen)) {
    case "this-attempt":
      return [{ ...current, status, jmState, nodes, submitAt }];
    case "the-one-before":
      return [
        { jobId, attemptIndex: restartCount - 1, status, jmState, nodes },
        { ...current, status: "PENDING", jmState: "PENDING", nodes: [] },
      ];
    case "unknown":
      return [unknown];
  }
}

/** What to remember of a row for the next one; a row that told nothing leaves what was remembered `before` it. */
export function lastSeenOf(job: SlurmJob, before?: LastSeen): LastSeen | undefined {
  const { restartCount, submitAt } = job;
  const { phase } = readSlurmState(job.state);
  if (phase === "unrecognised") return before;
  if (phase !== "completing") return { restartCount, submitAt, isWaiting: false };
  const ending = whoIsCompleting(job, before);
  return ending === "unknown" ? before : { restartCount, submitAt, isWaiting: ending === "the-one-before" };
}

/** The row says by itself which attempts there are and what to remember: whatever was remembered before it changes neither. */
export function standsAlone({ state, restartCount }: SlurmJob): boolean {
  const { phase } = readSlurmState(state);
  return phase !== "unrecognised" && (phase !== "completing" || restartCount === 0);
}

/** COMPLETING is said of an attempt that ends, with its own count; and of one that was requeued, with the next count. */
function whoIsCompleting(job: SlurmJob, lastSeen: LastSeen | undefined): "this-attempt" | "the-one-before" | "unknown" {
  if (job.restartCount === 0) return "this-attempt";
  if (lastSeen === undefined) return "unknown";
  const raisedBy = job.restartCount - lastSeen.restartCount;
  if (raisedBy === 0 && !lastSeen.isWaiting) return "this-attempt";
  // Still the same waiting, or a first requeue since the last look; unless the next attempt began and ends already.
  if (raisedBy === 0 || (raisedBy === 1 && !lastSeen.isWaiting)) {
    return hasRunSince(job, lastSeen) ? "this-attempt" : "the-one-before";
  }
  return "unknown";
}

/** Only becoming pending resets the submit time: since then it was pending, and it started after that. */
function hasRunSince({ submitAt, startAt }: SlurmJob, lastSeen: LastSeen): boolean {
  return submitAt !== lastSeen.submitAt && startAt !== undefined && startAt >= submitAt - datedAheadMs;
}

/** A submit time that would be the one before is dated one second later, and may be later than a start without delay (25.11: EXPEDITING). */
const datedAheadMs = 1_000;
