/**
 * situation: all facts of one attempt and of the attempts before it, folded.
 *
 * In the loop   facts → **fold** → Situation → decide → Advice
 * Takes         `Facts` as the store read them in one transaction, and now.
 * Gives         what `decide` may ask: can the scheduler be seen, is the attempt alive, what is the root, what came before.
 * Pure, total   no clock, no I/O, no throw.
 * Keeps         "not seen" is never folded into "ended" (invariant 6); a signal of another attempt is never evidence.
 */
import { slurmFactsOf } from "../fact/slurm-facts.ts";
import type { Gates } from "../dag/gates.ts";
import { emptyLedger, type Ledger } from "../evidence/ledger.ts";
import { limits } from "../limits.ts";
import type { NodeHardware } from "../fact/node-hardware.ts";
import type { Advice, AttemptRecord, Instant, JmState, Progress, Seen, Signal } from "../nouns.ts";
import { type Orders, type Override, standingFor } from "../override/override.ts";
import { withoutCommonFault } from "./everywhere.ts";
import { rootOf, wentOn } from "./root.ts";
import { isSilence } from "./silence.ts";

export interface EarlierFacts {
  readonly attempt: AttemptRecord;
  readonly progress: Progress;
  readonly signals: readonly Signal[];
  readonly advice?: Advice;
  /** SAC reported a requeue of this attempt that was carried out, or may have been. */
  readonly requeuedByUs?: boolean;
  /** SAC reported that it cancelled this attempt, or may have. */
  readonly cancelledByUs?: boolean;
  /** Some generation of its Advice, the newest or not, was to lift the hold that Slurm laid when it could not launch this attempt. */
  readonly launchReleaseAdvised?: boolean;
}

export interface Facts extends EarlierFacts {
  /** Attempts of the same incarnation before this one, oldest first; before them those of the jobs for which it was let go (a chain). */
  readonly earlier: readonly EarlierFacts[];
  /** The attempt with the next higher index, when one was seen. */
  readonly successor?: AttemptRecord;
  /** What people have ordered about this job, oldest first. Absent: nothing. */
  readonly overrides?: readonly Override[];
  /** The last pass over the cluster. Absent: nobody passes over it; the attempt was published by hand. */
  readonly pass?: {
    /** By the clock of who looked: it orders looks, and is never compared with now. */
    readonly takenAt: Instant;
    readonly unavailable?: string;
    /** When the last complete one was taken, at the earliest, by the clock of who decides. Absent: there was none. */
    readonly completeHeardAt?: Instant;
  };
  readonly nodes: readonly {
    readonly name: string;
    /** Slurm's word. */
    readonly state?: string;
    readonly isEligible: boolean;
    readonly partitions: readonly string[];
    /** Absent: not known. */
    readonly features?: readonly string[];
    /** That hold it now. Absent: not known. */
    readonly reservations?: readonly string[];
    /** Absent: not known. */
    readonly hardware?: NodeHardware;
  }[];
  /** Of a job that waits for others. */
  readonly gates?: Gates;
  /** What all jobs of the cluster say against its nodes. Absent: nothing. */
  readonly ledger?: Ledger;
}

/** Where the attempt stands, in the few words that deciding needs. */
export type Phase =
  | "pending"
  | "running"
  /** COMPLETING: its final state is still hidden; it may be COMPLETED or CANCELLED. */
  | "ending"
  | "completed"
  | "cancelled"
  /** FAILED, TIMEOUT, NODE_FAIL, …: over, and not by anyone's wish. */
  | "failed"
  /** It left because somebody requeued it: us, Slurm, or an operator. */
  | "requeued"
  | "unrecognised";

export interface Situation {
  readonly attempt: AttemptRecord;
  readonly progress: Progress;
  readonly scheduler: Seen<Phase>;
  readonly successor: "none" | "pending" | "started";
  /** The first of `roots`. */
  readonly root: Signal | undefined;
  /** Root-class signals of the same incident, the root first. */
  readonly roots: readonly Signal[];
  /** Nothing came for longer than is allowed, and nothing has come since. */
  readonly silence: Signal | undefined;
  /** Everything that was said of the attempt. */
  readonly signals: readonly Signal[];
  /** The program itself said that training had finished. */
  readonly finished: Signal | undefined;
  readonly advice: Advice | undefined;
  readonly cancelledByUs?: boolean;
  /** What people have ordered, as far as it stands for this attempt. */
  readonly orders: Orders;
  readonly earlier: readonly EarlierFacts[];
  readonly nodes: Facts["nodes"];
  readonly ledger: Ledger;
  /** Absent: it waits for no other job. */
  readonly gates?: Gates;
}

export function fold(facts: Facts, now: Instant): Situation {
  const phase = phaseOf(facts.attempt);
  const standing = standingRoots(facts);
  return {
    attempt: facts.attempt,
    progress: facts.progress,
    scheduler: seenPhase(facts, now),
    successor: facts.successor === undefined ? "none" : facts.successor.startedAt === undefined ? "pending" : "started",
    root: standing[0],
    roots: standing,
    silence: facts.signals.findLast((s) => isSilence(s) && !wentOn(s, facts.progress, phase)),
    signals: facts.signals,
    finished: facts.signals.find((s) => s.kind === "finished"),
    advice: facts.advice,
    orders: standingFor(facts.attempt.attemptIndex, facts.overrides ?? [], now),
    earlier: facts.earlier,
    nodes: facts.nodes,
    ledger: facts.ledger ?? emptyLedger,
    ...(facts.gates === undefined ? {} : { gates: facts.gates }),
    ...(facts.cancelledByUs === undefined ? {} : { cancelledByUs: facts.cancelledByUs }),
  };
}

/** What stands of an attempt's root lines. A line that is older than the attempt says nothing of it. */
export function standingRoots({ attempt, progress, signals }: EarlierFacts): readonly Signal[] {
  const since = startOf(attempt) - limits.evidenceSlackMs;
  const roots = rootOf(
    signals.filter((s) => s.evidence.at >= since),
    progress,
    phaseOf(attempt),
  );
  return withoutCommonFault(roots, attempt, progress);
}

/** As Slurm says, or when it was first seen running, whichever is earlier. */
function startOf(attempt: AttemptRecord): Instant {
  const { startedAt = -Infinity } = attempt;
  const { startTime } = slurmFactsOf(attempt);
  return typeof startTime === "number" ? Math.min(startTime, startedAt) : startedAt;
}

function seenPhase({ attempt, pass }: Facts, now: Instant): Seen<Phase> {
  if (attempt.status === "DELETED") return { kind: "absent", at: attempt.lastSeenAt };
  const phase = phaseOf(attempt);
  if (pass === undefined) return { kind: "seen", value: phase, at: attempt.lastSeenAt };
  if (pass.unavailable !== undefined) return { kind: "unavailable", why: pass.unavailable, at: pass.takenAt };
  const ageMs = now - (pass.completeHeardAt ?? 0);
  // Less than nothing: our own clock was set back since, and how old it is nobody knows.
  if (Math.abs(ageMs) > limits.passAgeMaxMs) {
    const why = `the last complete look at Slurm is ${Math.round(ageMs / 1000)} s old`;
    return { kind: "unavailable", why, at: pass.takenAt };
  }
  return { kind: "seen", value: phase, at: attempt.lastSeenAt };
}

const failed: ReadonlySet<JmState> = new Set([
  "FAILED",
  "OUT_OF_MEMORY",
  "TIMEOUT",
  "NODE_FAIL",
  "BOOT_FAIL",
  "PREEMPTED",
]);

export function phaseOf(attempt: AttemptRecord): Phase {
  const { slurmState } = slurmFactsOf(attempt);
  switch (attempt.status) {
    case "PENDING":
      return "pending";
    case "RUNNING":
      if (attempt.jmState === "UNKNOWN") return "unrecognised";
      return slurmState === "COMPLETING" ? "ending" : "running";
    case "COMPLETED":
      return "completed";
    case "CANCELLED":
      return "cancelled";
    case "FAILED":
      if (attempt.jmState === "DEADLINE") return "cancelled"; // The owner's own limit: nobody wants it back.
      return "failed";
    case "STOPPED":
      if (attempt.jmState === "REVOKED") return "cancelled";
      return failed.has(attempt.jmState) ? "failed" : "requeued";
    case "DELETED":
      return "unrecognised";
  }
}
