/**
 * same-row: whether Slurm shows a job, or a node, as it did before, when it is not the same object any more.
 *
 * Pure, total  what differs in more than it says (a key without a value) counts as different: then it is only looked at again.
 */
import type { LastSeen } from "@reprise/core/fact/attempts-of.ts";
import type { SlurmJob, SlurmNode } from "@reprise/core/nouns.ts";

export const isSameRow = (a: SlurmJob, b: SlurmJob): boolean => isSame(a, b);

export const isSameNode = (node: SlurmNode, known: SlurmNode | undefined): boolean => isSame(node, known);

export const isSameLastSeen = (a: LastSeen | undefined, b: LastSeen | undefined): boolean => isSame(a, b);

/** Texts and numbers, lists of them, and what is named in them. Mostly the first keys tell. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]))
  );
}
