/**
 * exclusion: which nodes the successor must keep away from, and never so many that the job cannot run.
 *
 * In the loop   Situation, Cause → **exclusions** → decide
 * Pure, total   gives the exclusions and the ones that were dropped, the weakest first.
 * Keeps         invariant 11: each has a reason, evidence, a confidence and an expiry; enough nodes remain.
 * Source        design §6, §7.
 */
import { limits } from "../limits.ts";
import type { Exclusion, Instant, Policy } from "../nouns.ts";
import type { Situation } from "../situation/situation.ts";
import { causeClasses } from "./cause-class.ts";
import type { Cause } from "./cause.ts";

/** A start that ends so soon and without a step says more about the node than about the program. */
const instantMs = 60_000;

export interface Exclusions {
  readonly keep: readonly Exclusion[];
  /** Left out because too few nodes would have remained. */
  readonly dropped: readonly Exclusion[];
}

export function exclusionsOf(s: Situation, cause: Cause, policy: Policy, now: Instant): Exclusions {
  const wanted = new Map<string, Exclusion>();
  for (const e of s.earlier.flatMap((before) => before.advice?.exclusions ?? []))
    if (e.expiresAt > now) wanted.set(e.node, e);
  for (const e of fresh(s, cause, now)) wanted.set(e.node, e);
  return fit([...wanted.values()], s, policy);
}

/** Nodes of a `repeated` class are in the cause only once they were repeated (`suspects.ts`). */
function fresh(s: Situation, cause: Cause, now: Instant): readonly Exclusion[] {
  const rule = causeClasses[cause.causeClass].exclude;
  const expiresAt = now + limits.exclusionLifeMs;
  if (rule === "named" || rule === "repeated") {
    const confidence =
      rule === "repeated" ? 0.5 : cause.causeClass === "hang" ? 0.4 : s.root?.exitIndependent === true ? 0.9 : 0.6;
    return cause.nodes.map((node) => ({ node, reason: cause.name, evidence: cause.evidence, confidence, expiresAt }));
  }
  const node = rule === "instant-repeat" ? instantRepeat(s) : undefined;
  return node === undefined
    ? []
    : [{ node, reason: "instant-repeat", evidence: cause.evidence, confidence: 0.4, expiresAt }];
}

/** The one node on which this attempt and the one before it both failed at once, without a step. */
export function instantRepeat(s: Situation): string | undefined {
  const before = s.earlier.at(-1);
  if (before === undefined || !isInstant(before) || !isInstant(s)) return undefined;
  const common = s.attempt.nodes.filter((node) => before.attempt.nodes.includes(node));
  return common.length === 1 ? common[0] : undefined;
}

function isInstant({ attempt, progress }: Pick<Situation, "attempt" | "progress">): boolean {
  const { startedAt, endedAt } = attempt;
  if (progress.lastStep !== undefined || endedAt === undefined) return false;
  return startedAt === undefined || endedAt - startedAt < instantMs;
}

/** Drops the weakest until enough eligible nodes remain. Without a node table nothing can be counted, and nothing is dropped. */
function fit(wanted: readonly Exclusion[], s: Situation, policy: Policy): Exclusions {
  const strongestFirst = wanted.toSorted((a, b) => b.confidence - a.confidence || a.node.localeCompare(b.node));
  const dropped: Exclusion[] = [];
  while (strongestFirst.length > 0 && !enoughRemain(strongestFirst, s, policy)) {
    const weakest = strongestFirst.pop();
    if (weakest !== undefined) dropped.push(weakest);
  }
  return { keep: strongestFirst, dropped };
}

function enoughRemain(exclusions: readonly Exclusion[], s: Situation, policy: Policy): boolean {
  if (s.nodes.length === 0) return true;
  const partition = (s.attempt.schedulerMetadata["slurm"] as { partition?: string } | undefined)?.partition;
  const partitions = partition?.split(",") ?? [];
  const away = new Set([
    ...exclusions.map((e) => e.node),
    ...policy.excludeNodes,
    ...s.attempt.nodeConstraints.exclusions,
  ]);
  const required = new Set([...policy.includeNodes, ...s.attempt.nodeConstraints.inclusions]);
  if (exclusions.some((e) => required.has(e.node))) return false; // A required node that is excluded is BadConstraints.
  const left = s.nodes.filter(
    (n) =>
      n.isEligible &&
      !away.has(n.name) &&
      (partitions.length === 0 || n.partitions.some((p) => partitions.includes(p))),
  );
  return left.length >= Math.max(1, s.attempt.nodes.length);
}
