/**
 * gate: may this step be taken on this job?
 *
 * In the loop   plan → **gate** → begin → apply
 * Pure, total   a no carries its sentence; it is reported and audited, so that observe mode shows what would have been done.
 * Keeps         invariants 10, 12: observe mode changes nothing anywhere, but that a hold of ours that was open when it was ordered is let
 *               go; a job outside the allowlist is never touched; without a lease nothing new is begun, and what we hold may still be
 *               let go.
 * Source        design §7, "gates".
 */
import { releaseRefusal } from "@reprise/core/fact/slurm-release.ts";
import { limits } from "@reprise/core/limits.ts";
import {
  type BrakeKind,
  type ModeInForce,
  type Said,
  observeWords,
  stopWords,
  switchWords,
} from "@reprise/core/mode/cluster-orders.ts";
import type { Instant, SlurmJob } from "@reprise/core/nouns.ts";
import type { Step } from "@reprise/core/plan/step.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import type { WatchdogBeat } from "./beside.ts";

export interface GateFacts extends ModeInForce {
  /** Absent: never held. */
  readonly leaseExpiresAt?: Instant;
  readonly serverOkAt: Instant;
  readonly serverGraceMs: number;
  readonly requireWatchdog: boolean;
  readonly watchdog: WatchdogBeat | undefined;
  readonly isKillSwitchOn: boolean;
  /** slurmctld's version in the last look. Absent: it is not known. */
  readonly slurmVersion?: string;
  /** Releases of Slurm that nobody has tried, and that the operator allows. */
  readonly slurmReleases: readonly string[];
  /** The order that nothing new is begun. */
  readonly stop?: Said;
  /** The successor exists because we requeued its source: what was begun is carried to its end. */
  readonly isRequeuedByUs?: boolean;
  /** Our hold on it is there, or may still come. */
  readonly isHoldOpen?: boolean;
  /** When the lease became ours that had been another SAC's: what that one sent may still arrive, and its restarts count for the cap. */
  readonly takenOverAt?: Instant;
  /** When the last restarts were begun, as the journal has them: also by a SAC that has died since. */
  readonly restartsBegunAt: readonly Instant[];
  readonly restartsPerMinuteMax: number;
}

export type Permission =
  | { readonly isGiven: true }
  /** `brake`: what holds it back, for a while. */
  | { readonly isGiven: false; readonly why: string; readonly brake?: BrakeKind };

export function mayTake(step: Step, work: Work, job: SlurmJob, facts: GateFacts, now: Instant): Permission {
  const isNew = beginsRecovery(step, work);
  if (facts.mode !== "act" && (isNew || !isLeftOpen(facts)))
    return no(facts.observes === undefined ? "observe mode" : observeWords(facts.observes));
  const outside = [...new Set([...job.partition.split(","), ...work.partition.split(",")])].filter(
    (p) => p !== "" && !facts.partitions.includes(p),
  );
  // Slurm shows all partitions of a job again once it was requeued: nobody else would let it go, or end it, then.
  if (outside.length > 0 && (facts.isRequeuedByUs !== true || (isNew && !endsSuccessor(step, work, job))))
    return no(`partition ${outside.join(", ")} is not on the allowlist (${facts.partitions.join(", ")})`);

  if (!isNew) return mayGoOn(facts, now);
  if (facts.isKillSwitchOn) return no(switchWords, "kill-switch");
  if (facts.stop !== undefined) return no(stopWords(facts.stop), "stop-order");
  const release = releaseRefusal(facts.slurmVersion, facts.slurmReleases);
  if (release !== undefined) return no(release);
  if (facts.leaseExpiresAt === undefined || facts.leaseExpiresAt <= now)
    return no("this SAC does not hold the lease of the cluster");
  const sinceTakenOverMs = facts.takenOverAt === undefined ? Number.POSITIVE_INFINITY : now - facts.takenOverAt;
  if (sinceTakenOverMs < limits.commandLimitMs + limits.settleMs)
    return no("the lease was another SAC's: what it sent may still arrive");
  if (facts.requireWatchdog) {
    if (facts.watchdog === undefined || now - facts.watchdog.at > limits.heartbeatStaleMs)
      return no("no living watchdog beside this SAC");
    if (facts.watchdog.mode !== "act") return no("the watchdog beside this SAC is in observe mode");
  }
  if (step.kind === "requeue-hold") {
    if (sinceTakenOverMs < limits.restartsMinuteMs)
      return no("the lease was another SAC's: its restarts of the last minute are not known", "restarts-per-minute");
    const recent = facts.restartsBegunAt.filter((at) => now - at < limits.restartsMinuteMs).length;
    if (recent >= facts.restartsPerMinuteMax)
      return no(
        `${recent} restarts in the last minute: the cap is ${facts.restartsPerMinuteMax}`,
        "restarts-per-minute",
      );
  }
  return { isGiven: true };
}

/** Observe mode was ordered while we held the job: nobody else would let it go, constrained as advised. */
const isLeftOpen = ({ observes, isRequeuedByUs, isHoldOpen }: GateFacts): boolean =>
  observes !== undefined && isRequeuedByUs === true && isHoldOpen === true;

/** The restart was forbidden, or another end decided: the successor is ended before it starts. */
const endsSuccessor = (step: Step, { attemptIndex }: Work, { restartCount }: SlurmJob): boolean =>
  step.kind === "cancel" && restartCount > attemptIndex;

/** It is the first of a recovery, or its only one: the release of a job by its gates or of one of a chain, lets go of a hold that is not ours, and a dependent is another job. */
export const beginsRecovery = (step: Step, { desired, isOfChain }: Pick<Work, "desired" | "isOfChain">): boolean =>
  desired === "RELEASED" ||
  isOfChain === true ||
  step.kind === "requeue-hold" ||
  step.kind === "cancel" ||
  step.kind === "repair-dependency" ||
  (step.kind === "mark" && step.marker.step === "intent");

/** What only carries an opened recovery to its end: also for a while without the server. */
function mayGoOn(facts: GateFacts, now: Instant): Permission {
  const hasLease = facts.leaseExpiresAt !== undefined && facts.leaseExpiresAt > now;
  if (hasLease || now - facts.serverOkAt <= facts.serverGraceMs) return { isGiven: true };
  return no(`the server has been away for longer than ${facts.serverGraceMs / 1_000} s`);
}

const no = (why: string, brake?: BrakeKind): Permission => ({
  isGiven: false,
  why,
  ...(brake === undefined ? {} : { brake }),
});
