/**
 * clearance: a person's word that a node was repaired: what was said against it until then does not count any more.
 *
 * Pure, total
 * Keeps         nothing else ends evidence before its time: Slurm shows that a node was resumed or booted, not that it was repaired
 *               (docs/decisions/0037).
 */
import type { Evidence, Instant } from "../nouns.ts";

export interface Clearance {
  readonly node: string;
  readonly at: Instant;
  readonly by: string;
  readonly reason: string;
}

/** By node: until when what is said against it has been answered. */
export type Cleared = ReadonlyMap<string, Instant>;

export const clearedBy = (clearances: readonly Clearance[]): Cleared =>
  new Map(clearances.map(({ node, at }) => [node, at]));

export const isCleared = (cleared: Cleared, node: string, at: Instant): boolean =>
  at <= (cleared.get(node) ?? -Infinity);

/** Of what has several lines the newest counts; without any it is not known when it was. */
export function isAnswered(
  cleared: Cleared,
  { node, evidence }: { readonly node: string; readonly evidence: readonly Evidence[] },
): boolean {
  return evidence.length > 0 && isCleared(cleared, node, Math.max(...evidence.map(({ at }) => at)));
}
