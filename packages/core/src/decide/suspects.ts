/**
 * suspects: which nodes repetition points at, when one line alone does not.
 *
 * In the loop   part of cause
 * Pure, total   empty: no node is to be avoided yet.
 * Keeps         a node is suspected only on evidence that names it: the same node twice, by this job or by two jobs within a day; the
 *               end that two reports share, or, when they name the same pair twice, both.
 * Source        design §6, classes of cause.
 */
import { type Cleared, isCleared } from "../evidence/clearance.ts";
import { othersAgainst } from "../evidence/ledger.ts";
import { limits } from "../limits.ts";
import type { CauseClass, Instant, Signal } from "../nouns.ts";
import { type EarlierFacts, type Situation, standingRoots } from "../situation/situation.ts";
import { causeClasses } from "./cause-class.ts";

/** A start that ends so soon and without a step says more about the node than about the program. */
const instantMs = 60_000;

/** @param named Nodes that the lines of this attempt point at, of which the last was read at `at`. */
export function suspectsOf(
  s: Situation,
  causeClass: CauseClass,
  named: readonly string[],
  at: Instant,
): readonly string[] {
  if (causeClasses[causeClass].exclude !== "repeated") return named;
  const before = s.earlier
    .map(standingRoots)
    .filter((roots) => roots[0]?.causeClass === causeClass)
    .map((roots) => nodesOf(roots, causeClass, s.ledger.cleared));
  return named.filter(
    (node) =>
      before.at(-1)?.includes(node) === true ||
      countOf(before, node) > 1 ||
      isRepeatedElsewhere(s, causeClass, node, at),
  );
}

/** Another job has named the node for the same sort of fault, not long ago. */
function isRepeatedElsewhere(s: Situation, causeClass: CauseClass, node: string, at: Instant): boolean {
  const kind = kindOf(causeClass);
  return othersAgainst(s.ledger, node, s.attempt).some(
    (e) => kindOf(e.causeClass) === kind && e.at > at - limits.exclusionLifeMs,
  );
}

const kindOf = (causeClass: CauseClass) => (causeClass === "network-pair" ? "link" : "machine");

/**
 * The one node of several on which this attempt and every one before it without a step died before their first step, for
 * something that a machine may do to a program.
 */
export function failedStartsOn(s: Situation, root: Signal): string | undefined {
  if (root.causeClass !== "workload-transient" || root.domain !== "workload") return undefined;
  const [node, ...others] = new Set(s.roots.filter((r) => r.cause === root.cause).flatMap((r) => r.nodes));
  if (node === undefined || others.length > 0 || s.progress.lastStep !== undefined) return undefined;
  if (s.attempt.nodes.length < 2) return undefined; // There is no other node that did well.
  const starts = s.earlier.filter(
    (e) => e.progress.lastStep === undefined && standingRoots(e)[0]?.cause === root.cause,
  );
  const isAlways = starts.every((e) => {
    const nodes = nodesOf(standingRoots(e), "workload-transient", s.ledger.cleared);
    return nodes.length === 1 && nodes[0] === node;
  });
  return starts.length > 0 && isAlways ? node : undefined;
}

/** The one node on which this attempt and the one before it both failed at once, without a step. */
export function instantRepeat(s: Situation): string | undefined {
  const before = s.earlier.at(-1);
  if (before === undefined || !isInstant(before) || !isInstant(s)) return undefined;
  const endedAt = before.attempt.endedAt ?? -Infinity;
  const common = s.attempt.nodes.filter(
    (node) => before.attempt.nodes.includes(node) && !isCleared(s.ledger.cleared, node, endedAt),
  );
  return common.length === 1 ? common[0] : undefined;
}

function isInstant({ attempt, progress }: Pick<EarlierFacts, "attempt" | "progress">): boolean {
  const { startedAt, endedAt } = attempt;
  if (progress.lastStep !== undefined || endedAt === undefined) return false;
  return startedAt === undefined || endedAt - startedAt < instantMs;
}

/** Without those that were repaired since. */
function nodesOf(roots: readonly Signal[], causeClass: CauseClass, cleared: Cleared): readonly string[] {
  const named = roots
    .filter((r) => r.causeClass === causeClass)
    .flatMap(({ nodes, evidence }) => nodes.filter((node) => !isCleared(cleared, node, evidence.at)));
  return [...new Set(named)];
}

const countOf = (lists: readonly (readonly string[])[], node: string) => lists.filter((l) => l.includes(node)).length;
