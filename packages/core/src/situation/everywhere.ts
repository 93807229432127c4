/**
 * everywhere: what every node of a job says at once is not the nodes' fault.
 *
 * In the loop   part of fold
 * Pure, total
 * Keeps         no node is accused, in this job or in others, of what its job brought along: a request without GPUs, a container without
 *               a driver, a cache that fills every disk. Broken machines are rare, and do not break all together before the first step.
 *               A line after which no program goes on (ECC, off the bus) stands by itself, however many nodes say it.
 * Source        docs/decisions/0047.
 */
import type { AttemptRecord, CauseClass, Progress, Signal } from "../nouns.ts";

/** Classes that blame the node which says so. */
const blaming: ReadonlySet<CauseClass> = new Set(["hardware-node", "storage-local"]);

/** @param roots What stands, the root first. What is common to all nodes becomes the program's, or nobody knows whose. */
export function withoutCommonFault(
  roots: readonly Signal[],
  { nodes }: AttemptRecord,
  { lastStep }: Progress,
): readonly Signal[] {
  if (nodes.length < 2) return roots;
  const mayBeCommon = ({ causeClass, exitIndependent }: Signal) =>
    causeClass !== undefined &&
    blaming.has(causeClass) &&
    !exitIndependent &&
    (lastStep === undefined || causeClass === "storage-local");
  const saidBy = Map.groupBy(roots.filter(mayBeCommon), ({ cause }) => cause);
  const common = [...saidBy.values()].filter((said) => {
    const named = new Set(said.flatMap((root) => root.nodes));
    return nodes.every((node) => named.has(node));
  });
  if (common.length === 0) return roots;
  const isCommon = new Set(common.flat());
  return roots.map((root) =>
    isCommon.has(root) ? { ...root, causeClass: "workload-transient" as const, domain: "unknown" as const } : root,
  );
}
