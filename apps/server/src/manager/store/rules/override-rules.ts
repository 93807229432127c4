/**
 * override-rules: what an order of a person changes at once, and which orders make no sense.
 *
 * In the loop   order → **judged** → override, and withdrawals, in one transaction; then decide
 * Takes         the attempts of one job as they stand in that transaction, oldest first, and the Advice about each.
 * Pure
 * Keeps         a withdrawal by a person says so itself, so that whoever carries the Advice out knows what was meant.
 * Fails         `not-found` for an attempt that nobody knows; `precondition` for an order that nothing could follow from.
 * Source        docs/decisions/0025.
 */
import { limits } from "@reprise/core/limits.ts";
import { type Advice, type AttemptRecord, type Instant, isActive } from "@reprise/core/nouns.ts";
import { forbidden, type Override, takenBack } from "@reprise/core/override/override.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { OwnEvent } from "../../audit/own-events.ts";
import type { Order, Ordered, OverrideTarget } from "../../override-order.ts";
import { asSaid, type NewGeneration } from "./next-generation.ts";

export interface Judged extends Ordered {
  readonly withdrawals: readonly { readonly advice: Advice; readonly said: NewGeneration }[];
}

/** @param count How many orders about this job are kept. */
export function judge(
  order: Order,
  attempt: AttemptRecord,
  family: readonly AttemptRecord[],
  adviceOf: (heimdallJobId: string) => Advice | undefined,
  count: number,
  now: Instant,
): Judged {
  const { action, reason, by } = order;
  if (action !== "clear" && count >= limits.overridesMax)
    throw no(attempt, `has ${count} orders, which is the most; clear them first`);
  const override: Override = { action, attemptIndex: attempt.attemptIndex, reason, by, at: now };
  const hasStartedAfter = ({ attemptIndex }: AttemptRecord) =>
    family.some((later) => later.attemptIndex > attemptIndex && later.startedAt !== undefined);
  const withdrawals = (advice: readonly Advice[], because: string, what: string) =>
    advice.map((one) => ({
      advice: one,
      said: { ...asSaid(one), because, sentence: `${by} ${what}: ${reason}`, withdrawnAt: now },
    }));
  switch (action) {
    case "clear":
      return { attempt, override, withdrawals: [], effect: "What was ordered before is over; the rules decide again." };
    case "restart":
      requireRestartable(attempt);
      return { attempt, override, withdrawals: [], effect: `Attempt ${attempt.attemptIndex} is restarted.` };
    case "never": {
      const open = family.flatMap((one) => (hasStartedAfter(one) ? [] : (adviceOf(one.heimdallJobId) ?? [])));
      const restarts = open.filter((one) => isOpen(one) && one.desired === "RESTARTED");
      const taken = restarts.map((one) => ` The restart of attempt ${one.attemptIndex} is withdrawn.`).join("");
      return {
        attempt,
        override,
        withdrawals: withdrawals(restarts, forbidden, "has forbidden further restarts"),
        effect: `Recovery restarts job ${attempt.jobId} no more.${taken}`,
      };
    }
    case "withdraw": {
      const advice = adviceOf(attempt.heimdallJobId);
      requireOpen(attempt, advice, order, hasStartedAfter(attempt), now);
      return {
        attempt,
        override,
        withdrawals: withdrawals([advice], takenBack, "has taken back the Advice about this attempt"),
        effect: `Generation ${advice.generation} is withdrawn, and nothing else is advised about attempt ${attempt.attemptIndex}.`,
      };
    }
  }
}

const isOpen = ({ status, withdrawnAt }: Advice) => status.disposition === "PENDING" && withdrawnAt === undefined;

/** What no rule would ever restart is refused here, so that nobody waits for it. */
function requireRestartable(attempt: AttemptRecord): void {
  const { coverage, status } = attempt;
  if (coverage.kind === "not-covered") throw no(attempt, `is not covered: ${coverage.because}`);
  const mode = coverage.policy.autoResumeMode;
  if (mode !== "requeue") throw no(attempt, `has auto_resume_mode "${mode}"; expected "requeue"`);
  if (status === "PENDING") throw no(attempt, "has not started; there is nothing to restart");
  if (status === "COMPLETED" || status === "CANCELLED")
    throw no(attempt, `is ${status}, and such a job is never restarted`);
  if (status === "DELETED") throw no(attempt, "is gone from Slurm");
}

function requireOpen(
  attempt: AttemptRecord,
  advice: Advice | undefined,
  { generation }: Order,
  isOvertaken: boolean,
  now: Instant,
): asserts advice is Advice {
  if (advice === undefined) throw no(attempt, "has no Advice");
  if (advice.withdrawnAt !== undefined) throw no(attempt, `has Advice that is withdrawn already`);
  if (!isActive(advice, now))
    throw no(attempt, `has no open Advice: generation ${advice.generation} is ${wordOf(advice, now)}`);
  if (isOvertaken) throw no(attempt, "is restarted already: the next attempt has started");
  if (generation !== undefined && generation !== advice.generation)
    throw no(attempt, `has Advice of generation ${advice.generation}; expected ${generation}`);
}

const wordOf = ({ status, expiresAt }: Advice, now: Instant) =>
  status.disposition === "PENDING" && now >= expiresAt ? "EXPIRED" : status.disposition;

const no = ({ jobId, attemptIndex }: AttemptRecord, words: string) =>
  new Refusal("precondition", `attempt ${attemptIndex} of job ${jobId} ${words}`);

export function unknownTarget(target: OverrideTarget): Refusal {
  const what = "jobId" in target ? `job ${target.jobId}` : `heimdallJobId ${target.heimdallJobId}`;
  return new Refusal("not-found", `${what} is not known`);
}

export function overrideEvent({ attempt, override, withdrawals }: Judged): OwnEvent {
  const { action, reason, by, at } = override;
  const withdrawn = withdrawals.map(({ advice }) => advice.attemptIndex);
  return {
    attempt,
    producer: "job-manager",
    type: "override.set",
    payload: { action, reason, by, withdrawnAttempts: withdrawn },
    at,
  };
}
