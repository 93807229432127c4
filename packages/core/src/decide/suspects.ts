/**
 * suspects: which nodes repetition points at, when one line alone does not.
 *
 * In the loop   part of cause
 * Pure, total   empty: no node is to be avoided yet.
 * Keeps         a node is suspected only on evidence that names it: the same node twice, the end that two reports share, or,
 *               when they name the same pair twice, both.
 * Source        design §6, classes of cause.
 */
import type { CauseClass, Signal } from "../nouns.ts";
import { rootOf } from "../situation/root.ts";
import { type EarlierFacts, phaseOf, type Situation } from "../situation/situation.ts";
import { causeClasses } from "./cause-class.ts";

/** @param named Nodes that the lines of this attempt point at. */
export function suspectsOf(s: Situation, causeClass: CauseClass, named: readonly string[]): readonly string[] {
  if (causeClasses[causeClass].exclude !== "repeated") return named;
  const before = s.earlier
    .map(rootsOf)
    .filter((roots) => roots[0]?.causeClass === causeClass)
    .map((roots) => nodesOf(roots, causeClass));
  return named.filter((node) => before.at(-1)?.includes(node) === true || countOf(before, node) > 1);
}

/**
 * The one node of several on which this attempt and every one before it without a step died before their first step, for
 * something that a machine may do to a program.
 */
export function failedStartsOn(s: Situation, root: Signal): string | undefined {
  if (root.causeClass !== "workload-transient" || root.domain !== "workload") return undefined;
  const [node, ...others] = new Set(s.roots.filter((r) => r.cause === root.cause).flatMap((r) => r.nodes));
  if (node === undefined || others.length > 0 || s.progress.lastStep !== undefined) return undefined;
  if (s.attempt.nodes.length < 2) return undefined; // There is no other node that did well.
  const starts = s.earlier.filter((e) => e.progress.lastStep === undefined && rootsOf(e)[0]?.cause === root.cause);
  const isAlways = starts.every((e) => {
    const nodes = nodesOf(rootsOf(e), "workload-transient");
    return nodes.length === 1 && nodes[0] === node;
  });
  return starts.length > 0 && isAlways ? node : undefined;
}

function rootsOf({ signals, progress, attempt }: EarlierFacts): readonly Signal[] {
  return rootOf(signals, progress, phaseOf(attempt));
}

function nodesOf(roots: readonly Signal[], causeClass: CauseClass): readonly string[] {
  return [...new Set(roots.filter((r) => r.causeClass === causeClass).flatMap((r) => r.nodes))];
}

const countOf = (lists: readonly (readonly string[])[], node: string) => lists.filter((l) => l.includes(node)).length;
