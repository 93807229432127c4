/**
 * gate-rule: what follows for a job from its gates: it is let go, ended, or goes on waiting.
 *
 * In the loop   gates → Situation → **this rule of decide** → Decision
 * Pure, total
 * Keeps         a job is let go only when every gate is open, and only from the hold that its author submitted it with; whatever was
 *               advised from gates that are no longer so is withdrawn.
 * Source        design §8.
 */
import { slurmFactsOf } from "../fact/slurm-facts.ts";
import { type Answer, none } from "../decide/answer.ts";
import type { Advise } from "../decide/decision.ts";
import { limits } from "../limits.ts";
import type { Instant, Policy } from "../nouns.ts";
import type { Situation } from "../situation/situation.ts";
import type { Gate, Gates } from "./gates.ts";

/** Advice and the lack of it that gates are the reason of. */
export const isOfGates = (because: string): boolean => because.startsWith("dag-");

export function byGates(s: Situation, policy: Policy, now: Instant): Answer {
  const { gates } = s;
  if (gates === undefined || gates.length === 0) return "it waits for no other job";
  // What was advised while it was held is SAC's to finish: it sees whether it was done.
  if (!isHeld(s))
    return none("dag-not-held", "The job is not held: its gates keep nothing back. Submit it with --hold.");
  const of = (state: Gate["state"]) => gates.filter((gate) => gate.state === state);
  const [never, refused, closed] = [of("never"), of("refused"), of("closed")];
  if (never.length > 0) return unsatisfiable(gates, never, policy, now);
  const kept = { withdraw: true };
  if (refused.length > 0)
    return told(none("dag-refused", `Held, and never released like this: ${wordsOf(refused)}.`, kept), gates);
  if (closed.length > 0) {
    // The graph was read in the midst of it: whoever looks at it once a second may never see this, and so not that it is over.
    const again = closed.some(({ isPassing }) => isPassing === true) ? { reconsiderAt: now + limits.gateAgainMs } : {};
    return told(none("dag-waiting", `Held until ${untilOf(closed)}.`, { ...kept, ...again }), gates);
  }
  const sentence = `Released, because every gate is open: ${wordsOf(gates)}.`;
  return told({ ...advise(gates, sentence, now), desired: "RELEASED", because: "dag-open" }, gates);
}

function unsatisfiable(gates: Gates, never: Gates, policy: Policy, now: Instant): Answer {
  const why = listed(never, (gate) => `${gate.trigger} can no longer be: ${gate.why}`);
  if (policy.dagAction === "keep_held")
    return told(none("dag-kept-held", `Held, and kept so (dag_action keep_held): ${why}.`, { withdraw: true }), gates);
  const sentence = `Ended before it ran (dag_action terminate_dependents): ${why}.`;
  const issue = {
    kind: "exit" as const,
    domain: "scheduler" as const,
    cause: "dag-never",
    causeClass: "scheduler" as const,
    summary: why,
    nodes: [],
    evidence: evidenceOf(never, now),
    detectedAt: now,
  };
  return told({ ...advise(never, sentence, now), desired: "TERMINATED", because: "dag-never", issues: [issue] }, gates);
}

function advise(gates: Gates, sentence: string, now: Instant): Omit<Advise, "desired" | "because"> {
  return {
    kind: "advise",
    sentence,
    evidence: evidenceOf(gates, now),
    rules: [],
    budgets: [],
    exclusions: [],
    issues: [],
    startDelayMs: 0,
    charged: false,
    rootKey: "dag",
    expiresAt: now + limits.adviceLifeMs,
  };
}

const evidenceOf = (gates: Gates, at: Instant) =>
  gates.slice(0, limits.gatesToldMax).map(({ why }) => ({ source: "slurm" as const, line: why, at }));

/** With what every gate said. */
const told = <A extends Exclude<Answer, string>>(answer: A, gates: Gates): A => ({
  ...answer,
  rules: gates.slice(0, limits.gatesToldMax).map(({ parent, trigger, state, why }) => ({
    rule: `gate ${trigger} of ${parent}`,
    answered: state !== "closed",
    why: `${state}: ${why}`,
  })),
});

function listed(gates: Gates, words: (gate: Gate) => string): string {
  const more = gates.length - limits.gatesToldMax;
  const first = gates.slice(0, limits.gatesToldMax).map(words).join("; ");
  return more > 0 ? `${first}; and ${more} more` : first;
}

const wordsOf = (gates: Gates) => listed(gates, ({ why }) => why);

const triggerWords: Readonly<Record<Gate["trigger"], string>> = {
  on_success: "has completed",
  on_failure: "has failed for good",
  on_completion: "has ended",
  on_start: "has started",
};

const untilOf = (gates: Gates) =>
  listed(gates, ({ parent, trigger, why }) => `${parent} ${triggerWords[trigger]} (now: ${why})`);

/** Slurm's reason for a pending job says whether it is held. Where nobody told a reason, its author's word counts: `--hold`. */
function isHeld({ attempt }: Situation): boolean {
  const { reason } = slurmFactsOf(attempt);
  return typeof reason !== "string" || reason === "" || reason.startsWith("JobHeld");
}
