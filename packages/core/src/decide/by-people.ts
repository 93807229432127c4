/**
 * by-people: what an operator has ordered, as rules of `decide`.
 *
 * In the loop   part of decide
 * Pure, total
 * Keeps         an order never restarts what `off`, a cancellation or a completion has ended (those rules come first), and never
 *               touches an attempt that has not started, nor one whose start came after it: slurmctld may forget the first one. A restart
 *               that was ordered is not charged to the author.
 * Source        docs/decisions/0025.
 */
import type { Instant, Policy } from "../nouns.ts";
import { forbidden, type Override, takenBack } from "../override/override.ts";
import type { Situation } from "../situation/situation.ts";
import { type Answer, none, restartByOrder } from "./answer.ts";
import { type Cause, causeOf } from "./cause.ts";

export function forbiddenByPeople({ orders }: Situation): Answer {
  const { never, withdrawn } = orders;
  if (never !== undefined)
    return none(forbidden, `${never.by} has forbidden further restarts: ${never.reason}`, { withdraw: true });
  if (withdrawn !== undefined) {
    const sentence = `${withdrawn.by} has taken back the Advice about this attempt: ${withdrawn.reason}`;
    return none(takenBack, sentence, { withdraw: true });
  }
  return "nobody has forbidden it";
}

export function orderedByPeople(s: Situation, policy: Policy, now: Instant): Answer {
  const order = s.orders.restart;
  if (order === undefined) return "nobody has ordered a restart";
  if (order.generation !== undefined && s.advice?.withdrawnAt !== undefined)
    return "what was ordered was of a start that the controller has forgotten";
  const phase = s.scheduler.kind === "seen" ? s.scheduler.value : undefined;
  if (phase === "requeued" && s.advice?.desired !== "RESTARTED") return "somebody else has restarted it already";
  if (phase === "ending") return "the attempt is completing; its final state is still hidden";
  return restartByOrder(s, causeOf(s) ?? causeOfOrder(order), policy, now, order);
}

/** Nothing is wrong with the attempt but that somebody wants another one. */
const causeOfOrder = ({ reason, by, at }: Override): Cause => ({
  causeClass: "scheduler",
  domain: "scheduler",
  name: "override",
  kind: "exit",
  nodes: [],
  evidence: [{ source: "slurm", line: `a restart was ordered by ${by}: ${reason}`, at }],
  detectedAt: at,
  rootKey: "override",
});
