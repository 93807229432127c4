/**
 * standing: where a scheduler job stands, as the parent of others.
 *
 * In the loop   part of the gates
 * Pure, total
 * Keeps         an attempt that failed and may be restarted has not ended; one that left Slurm unseen is unknown, never failed
 *               (invariant 6). Nobody's gate opens on an end that is not for good.
 * Source        design §8.
 */
import { latestAttempt } from "../identity/latest-attempt.ts";
import type { JmState } from "../nouns.ts";
import type { GraphAttempt, GraphJob } from "./graph.ts";

export interface Standing {
  readonly kind:
    | "queued"
    | "running"
    /** It has ended, and a restart is open or not yet ruled out; or it waits for its restart. */
    | "recovering"
    | "succeeded"
    /** Ended without success, for good: failed, cancelled, terminated. */
    | "failed"
    | "unknown";
  /** Some attempt of it has run. */
  readonly hasStarted: boolean;
  /** Recovery has given it up: its Advice is TERMINATED. */
  readonly isTerminated: boolean;
  /** It has ended, and somebody is about to decide what follows. */
  readonly isUndecided: boolean;
  /** The same for a person, after the name of the job: "is running". */
  readonly words: string;
}

export function standingOf(job: GraphJob): Standing {
  const last = latestAttempt(job.attempts) ?? job.attempts[0];
  const hasStarted = job.attempts.some((attempt, i) => hasRun(attempt, job.attempts[i - 1]));
  const [kind, words] = stateOf(last, hasStarted);
  const { advice } = last;
  const isGivenUp = advice?.desired === "TERMINATED" && advice.withdrawnAt === undefined;
  const isOver = isGivenUp && advice.disposition !== "ABANDONED" && last.status !== "COMPLETED";
  // Something was learnt since its end, or ordered: it may be brought back all the same, if nobody cancelled it. While Slurm still has it, its
  // owner may requeue it before our cancel arrives.
  const isTerminated =
    isOver &&
    (hasFinalStatus(last) ? last.isDecided || last.status === "CANCELLED" : advice.disposition === "CONVERGED");
  return {
    kind,
    hasStarted,
    isTerminated,
    isUndecided: kind === "recovering" && hasFinalStatus(last) && !last.isDecided,
    words: isTerminated ? `${words}, and recovery has ended it for good` : words,
  };
}

const hasFinalStatus = ({ status }: GraphAttempt): boolean =>
  status === "COMPLETED" || status === "FAILED" || status === "STOPPED" || status === "CANCELLED";

function stateOf(last: GraphAttempt, hasStarted: boolean): readonly [Standing["kind"], string] {
  switch (last.status) {
    case "PENDING":
      return hasStarted || last.attemptIndex > 0
        ? ["recovering", "waits for its next start"]
        : ["queued", "has not started"];
    case "RUNNING":
      return ["running", "is running"];
    case "DELETED":
      return ["unknown", "has left Slurm, and nobody saw how it ended"];
    case "COMPLETED":
    case "FAILED":
    case "STOPPED":
    case "CANCELLED":
      return endOf(last);
  }
}

function endOf(last: GraphAttempt): readonly [Standing["kind"], string] {
  const { advice, jmState, status } = last;
  if (jmState === "REQUEUED") return ["recovering", "is being restarted"];
  // Until SAC has reported how a restart ended, a withdrawn or expired one too, it may still bring the job back.
  if (advice?.desired === "RESTARTED" && advice.disposition !== "ABANDONED" && !isReplaced(last))
    return ["recovering", `ended as ${jmState}, and its restart is open`];
  if (!last.isDecided) return ["recovering", `ended as ${jmState}, and what follows is not decided yet`];
  return [status === "COMPLETED" ? "succeeded" : "failed", `ended as ${jmState}`];
}

/** The next of its chain runs in its stead; this job does not come back. */
const isReplaced = ({ coverage, advice }: GraphAttempt): boolean =>
  advice?.disposition === "CONVERGED" &&
  coverage.kind === "covered" &&
  coverage.policy.autoResumeMode === "singleton_dependency";

const neverRan: ReadonlySet<JmState> = new Set(["DEADLINE", "BOOT_FAIL"]);

/**
 * Nobody needs to have seen it running: with such an end, or since it was requeued, it has run; or the one before it has. But Slurm requeues
 * also what was cancelled while it waited.
 */
function hasRun({ attemptIndex, startedAt, status, jmState }: GraphAttempt, before: GraphAttempt | undefined): boolean {
  if (startedAt !== undefined || status === "RUNNING" || status === "COMPLETED") return true;
  if (attemptIndex > 0 && !(before?.status === "CANCELLED" && before.startedAt === undefined)) return true;
  if (status === "CANCELLED") return false;
  return jmState === "PREEMPTED" || jmState === "REQUEUED" || (status === "FAILED" && !neverRan.has(jmState));
}
