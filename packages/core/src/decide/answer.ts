/**
 * answer: what a rule may say: nothing (why not, as a sentence), `none`, or a desired state.
 *
 * Pure, total
 * Keeps   a termination names the bound or the class that ended it (invariant 9).
 */
import { limits } from "../limits.ts";
import { roomInWords } from "../evidence/eligible.ts";
import { othersAgainst } from "../evidence/ledger.ts";
import type { Exclusion, Instant, Policy } from "../nouns.ts";
import { ordered, type Override } from "../override/override.ts";
import type { Situation } from "../situation/situation.ts";
import { budgetsOf, isCharged } from "./budget.ts";
import { causeClasses } from "./cause-class.ts";
import { type Cause, summaryOf } from "./cause.ts";
import type { Advise, Dropped, NoAdvice, RuleAnswer } from "./decision.ts";
import { type Exclusions, exclusionsOf, failsOthers } from "./exclusion.ts";
import { wentBack } from "./headway.ts";

/** A rule says nothing (`why not` as a string) or gives its answer. */
export type Answer = string | NoAdvice | Advise;

export function none(
  because: string,
  sentence: string,
  more: { withdraw?: boolean; reconsiderAt?: Instant } = {},
): NoAdvice {
  return { kind: "none", because, sentence, evidence: [], rules: [], budgets: [], withdraw: false, ...more };
}

/** A restart, unless a budget is used up: then the job is ended with the bound named (invariant 9). */
export function restart(s: Situation, cause: Cause, policy: Policy, now: Instant, because: string): Answer {
  const budgets = budgetsOf(s, cause, policy, now);
  if (budgets.exhausted !== undefined) {
    const { bound, spent, allowed } = budgets.exhausted;
    const why = `${bound} is used up (${round(spent)} of ${round(allowed)}). The last failure: ${because}`;
    return { ...terminate(cause, policy, now, bound, why), budgets: budgets.list };
  }
  const exclusions = exclusionsOf(s, cause, policy, now);
  const { keep } = exclusions;
  return {
    ...said(
      cause,
      `${whatRuns(policy)}${without(keep)}, because of ${because}.${accusation(s, keep)}${allowed(exclusions)}${backwards(s)}`,
    ),
    desired: "RESTARTED",
    because:
      cause.causeClass === "unexplained" ? "unexplained" : cause.name === "completed" ? "completed" : cause.causeClass,
    ...withRoom(exclusions),
    startDelayMs: backoffMs(budgets.repeats),
    charged: isCharged(cause, policy),
    budgets: budgets.list,
    expiresAt: now + limits.adviceLifeMs,
  };
}

const whatRuns = ({ autoResumeMode }: Policy) =>
  autoResumeMode === "singleton_dependency" ? "The next job of the chain" : "Restart";

const names = (of: readonly Exclusion[]) => of.map((e) => e.node).join(", ");
const without = (keep: readonly Exclusion[]) => (keep.length === 0 ? "" : ` without ${names(keep)}`);

/** What nodes did to other jobs, as far as it made them avoided, or surer. */
function accusation({ ledger, attempt }: Situation, keep: readonly Exclusion[]): string {
  const told = keep.map(({ node, reason }) => {
    if (reason === failsOthers) return ` ${node} has failed ${ledger.standings.get(node)?.failures} different jobs.`;
    const [other] = othersAgainst(ledger, node, attempt);
    return other === undefined ? "" : ` Job ${other.jobId} has named ${node}, too.`;
  });
  return told.join("");
}

/** What a decision says of the nodes. */
export const withRoom = ({ keep, dropped, room }: Exclusions): Pick<Advise, "exclusions" | "dropped" | "room"> => ({
  exclusions: keep,
  ...(dropped.length === 0 ? {} : { dropped }),
  ...(room === undefined ? {} : { room }),
});

/** Whom the successor may still be given, although evidence speaks against it; and how many there are, where that is in doubt. */
export function allowed({ keep, dropped, room }: Exclusions): string {
  const because: readonly [Dropped["why"], string][] = [
    ["too-few-nodes", "stays allowed: too few nodes would remain"],
    ["required", "stays allowed: the job asks for it by name"],
    ["not-a-node", "is not excluded: Slurm has no such node"],
  ];
  const told = because
    .map(([why, words]) => [dropped.filter((e) => e.why === why), words] as const)
    .filter(([of]) => of.length > 0)
    .map(([of, words]) => ` ${names(of)} ${words}.`);
  const isInDoubt = room?.unknown !== undefined && keep.length > 0;
  const isTight = dropped.some(({ why }) => why === "too-few-nodes");
  return `${told.join("")}${room !== undefined && (isInDoubt || isTight) ? ` ${roomInWords(room)}` : ""}`;
}

/** A warning: whoever loads an older checkpoint than was saved may not know it. */
function backwards(s: Situation): string {
  const back = wentBack(s);
  if (back === undefined) return "";
  return ` This attempt resumed from step ${back.from}, although step ${back.saved} had been saved before: twice in a row, and its steps are no progress.`;
}

/** A restart that a person ordered: no budget ends it, and none is charged. */
export function restartByOrder(s: Situation, cause: Cause, policy: Policy, now: Instant, order: Override): Answer {
  const exclusions = exclusionsOf(s, cause, policy, now);
  return {
    ...said(cause, `${whatRuns(policy)}${without(exclusions.keep)}, ordered by ${order.by}: ${order.reason}`),
    desired: "RESTARTED",
    because: ordered,
    ...withRoom(exclusions),
    startDelayMs: 0,
    charged: false,
    budgets: budgetsOf(s, cause, policy, now).list,
    expiresAt: now + limits.adviceLifeMs,
  };
}

export function terminate(cause: Cause, policy: Policy, now: Instant, because: string, sentence: string): Advise {
  return {
    ...said(cause, sentence),
    desired: "TERMINATED",
    because,
    exclusions: [],
    startDelayMs: 0,
    charged: isCharged(cause, policy),
    budgets: [],
    expiresAt: now + limits.adviceLifeMs,
  };
}

/** The first restart of a root is immediate; each further one without progress waits twice as long. */
export function backoffMs(repeats: number): number {
  return repeats === 0 ? 0 : Math.min(limits.backoffMaxMs, limits.backoffFirstMs * 2 ** (repeats - 1));
}

function said(cause: Cause, sentence: string) {
  const issue = {
    kind: cause.kind,
    domain: cause.domain,
    cause: cause.name,
    causeClass: cause.causeClass,
    summary: summaryOf(cause),
    nodes: cause.nodes,
    evidence: cause.evidence,
    detectedAt: cause.detectedAt,
  };
  const rule: RuleAnswer = {
    rule: `class ${cause.causeClass}`,
    answered: true,
    why: causeClasses[cause.causeClass].words,
  };
  return {
    kind: "advise" as const,
    sentence,
    evidence: cause.evidence,
    issues: [issue],
    rules: [rule],
    rootKey: cause.rootKey,
  };
}

const round = (n: number) => Math.round(n * 100) / 100;
