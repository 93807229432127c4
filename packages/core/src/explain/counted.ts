/**
 * counted: what a decision counted and considered, as a person asks for it: each budget before and after, and each node.
 *
 * In the loop   Decision → **counted** → Explain
 * Pure, total
 */
import { causeClasses } from "../decide/cause-class.ts";
import type { Budget, Decision, Dropped } from "../decide/decision.ts";
import type { Instant, Signal } from "../nouns.ts";

export interface CountedBudget extends Budget {
  /** Before this failure. */
  readonly before: number;
  /** After what was decided about it. */
  readonly after: number;
}

/** Budgets of restarts count what was done before; those of failures count this one, too; hours only pass. */
export function budgetsCounted(decision: Decision): readonly CountedBudget[] {
  const isRestart = decision.kind === "advise" && decision.desired === "RESTARTED";
  const isCharged = isRestart && decision.charged;
  return decision.budgets.map((budget) => {
    const { bound, spent } = budget;
    if (bound === "max_requeue_times") return { ...budget, before: spent, after: spent + (isCharged ? 1 : 0) };
    if (bound === "uncharged restarts")
      return { ...budget, before: spent, after: spent + (isRestart && !isCharged ? 1 : 0) };
    if (bound === "max_recovery_hours") return { ...budget, before: spent, after: spent };
    return { ...budget, before: Math.max(0, spent - 1), after: spent };
  });
}

export interface ConsideredNode {
  readonly node: string;
  readonly isExcluded: boolean;
  readonly why: string;
  readonly confidence?: number;
  readonly expiresAt?: Instant;
}

/** @param signals Of the attempt: its root lines may name nodes that are not excluded. */
export function nodesConsidered(decision: Decision, signals: readonly Signal[]): readonly ConsideredNode[] {
  if (decision.kind !== "advise") return [];
  const kept = decision.exclusions.map(({ node, reason, confidence, expiresAt }) => ({
    node,
    isExcluded: true,
    why: reason,
    confidence,
    expiresAt,
  }));
  const dropped = (decision.dropped ?? []).map((e) => ({
    node: e.node,
    isExcluded: false,
    why: `${e.reason}, but ${whyDropped(e)}`,
    confidence: e.confidence,
  }));
  const told = new Set([...kept, ...dropped].map(({ node }) => node));
  const causeClass = decision.issues[0]?.causeClass;
  const named = signals
    .filter((s) => s.root && s.causeClass === causeClass)
    .flatMap((s) => s.nodes)
    .filter((node) => !told.has(node));
  const why = decision.desired === "RESTARTED" ? whyNot(causeClass) : "named by the log; there is no restart";
  return [...kept, ...dropped, ...[...new Set(named)].map((node) => ({ node, isExcluded: false, why }))];
}

function whyDropped(dropped: Dropped): string {
  if (dropped.why === "required") return "the job asks for it by name";
  if (dropped.why === "not-a-node") return "Slurm has no such node";
  const { remaining, needed } = dropped;
  const count = remaining === undefined ? "" : `: ${remaining} of the ${needed} that the job needs`;
  return `too few nodes would remain${count}`;
}

function whyNot(causeClass: Signal["causeClass"]): string {
  const { exclude, words } = causeClasses[causeClass ?? "unexplained"];
  if (exclude === "repeated") return `named for the first time: ${words} excludes a node when it is named again`;
  return `named by the log, but ${words} excludes no node`;
}
