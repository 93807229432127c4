/**
 * next-generation: whether a decision changes what was advised, and what the new generation says.
 *
 * In the loop   Decision → **next generation** → Advice
 * Pure, total
 * Keeps         the same outcome is advised once; what was carried out or given up stays as it is; a withdrawal repeats what it
 *               withdraws.
 */
import { isOfGates } from "@reprise/core/dag/gate-rule.ts";
import type { Advise, Decision, NoAdvice } from "@reprise/core/decide/decision.ts";
import { launchFailed } from "@reprise/core/fact/launch-hold.ts";
import type { Advice, Instant } from "@reprise/core/nouns.ts";
import { forbidden, ordered } from "@reprise/core/override/override.ts";
import type { OwnEvent } from "../../audit/own-events.ts";

/** What a new generation says. A withdrawal repeats what the one before it said. */
export interface NewGeneration {
  readonly desired: Advice["desired"];
  readonly exclusions: Advice["exclusions"];
  readonly issues: Advice["issues"];
  readonly because: string;
  readonly sentence: string;
  readonly startDelayMs: number;
  readonly charged: boolean;
  readonly rootKey: string;
  readonly expiresAt: Instant;
  readonly withdrawnAt?: Instant;
}

/** What became of the attempt that a decision is about. */
export interface Course {
  /** A later attempt of the same job has started. */
  readonly isOvertaken: boolean;
  /** Slurm shows this attempt again, and none of the later ones that it showed before: its controller lost them. */
  readonly isRolledBack: boolean;
  /** A person has ordered a restart that has not become Advice yet. */
  readonly isOrdered?: boolean;
}

/** Absent: there is nothing new to say. */
export function nextGeneration(
  advice: Advice | undefined,
  decision: Decision,
  course: Course,
  now: Instant,
): NewGeneration | undefined {
  if (course.isOvertaken) return undefined;
  const isOpen = advice !== undefined && advice.status.disposition === "PENDING";
  if (decision.kind === "none") {
    const isWithdrawn = isOpen && advice.withdrawnAt === undefined && takesBack(decision, advice);
    return isWithdrawn ? { ...asSaid(advice), withdrawnAt: now } : undefined;
  }
  // Withdrawn because the program went on, or the user ended it: what is decided from newer facts is a decision of its own.
  if (advice === undefined || advice.withdrawnAt !== undefined || fulfils(decision, course)) return saidBy(decision);
  // Who is past his gates, or was launched after all, lives like any other attempt from then on.
  if (!isOpen && isBeforeRun(advice.because) && mayFollow(decision, advice)) return saidBy(decision);
  const nodes = new Set(advice.exclusions.map(({ node }) => node));
  const isOther = decision.desired !== advice.desired || decision.exclusions.some(({ node }) => !nodes.has(node));
  return (isOpen && isOther) || isLost(advice, decision, course) ? saidBy(decision) : undefined;
}

/** It was about a job that had not started. */
const isBeforeRun = (because: string): boolean => isOfGates(because) || because === launchFailed;

/** Of a program that runs: it is not, or not any more, to be ended. */
const goesOn: ReadonlySet<string> = new Set(["healthy", "grace", "slowdown"]);

/**
 * What the gates advised is taken back by the gates, or by who may forbid it; that the job runs now is no reason. The end of a job is taken
 * back by a program that goes on, and by nothing else: its successor may still wait to be ended.
 */
function takesBack({ withdraw, because }: NoAdvice, advice: Advice): boolean {
  if (!withdraw) return false;
  if (advice.because === launchFailed) return ["off", forbidden, "cancelled"].includes(because);
  if (isOfGates(advice.because)) return isOfGates(because) || because === "off" || because === forbidden;
  return advice.desired === "RESTARTED" || goesOn.has(because);
}

/** The same once more only when nobody carried out the first in its time: the job is still held. */
const mayFollow = (decision: Advise, { because, status }: Advice): boolean =>
  decision.because !== because || status.reason === "ADVICE_EXPIRED";

/** An order counts whatever became of the Advice before it; and it becomes Advice once. */
export const fulfils = ({ because }: Decision, { isOrdered }: Course): boolean =>
  isOrdered === true && because === ordered;

/** A restart that was confirmed, and that the controller then forgot: it is wanted again, and not charged twice. */
const isLost = (advice: Advice, decision: Advise, { isRolledBack }: Course): boolean =>
  isRolledBack &&
  advice.desired === "RESTARTED" &&
  decision.desired === "RESTARTED" &&
  advice.status.disposition === "CONVERGED";

/** What a decision says, without how it came to it. */
export const saidBy = ({
  kind: _,
  rules: __,
  budgets: ___,
  evidence: ____,
  reconsiderAt: _____,
  dropped: ______,
  room: _______,
  ...said
}: Advise): NewGeneration => said;

export const asSaid = ({
  desired,
  exclusions,
  issues,
  because,
  sentence,
  startDelayMs,
  charged,
  rootKey,
  expiresAt,
}: Advice): NewGeneration => ({
  desired,
  exclusions,
  issues,
  because,
  sentence,
  startDelayMs,
  charged,
  rootKey,
  expiresAt,
});

/** The event that every new generation has. */
export function auditOf(
  generation: number,
  said: NewGeneration,
  { because, sentence }: Pick<Decision, "because" | "sentence">,
  source: Pick<Course, "isRolledBack"> & NonNullable<OwnEvent["attempt"]>,
  at: Instant,
): OwnEvent {
  const exclusions = said.exclusions.map(({ node }) => node);
  const type =
    said.withdrawnAt !== undefined
      ? "advice.withdrawn"
      : source.isRolledBack
        ? "advice.rolled-back"
        : "advice.recorded";
  return {
    attempt: source,
    producer: "job-manager",
    type,
    at,
    payload: { generation, desiredState: said.desired, exclusions, because, sentence },
  };
}
