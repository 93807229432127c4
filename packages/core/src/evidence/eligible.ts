/**
 * eligible: how many nodes the successor could be given, and how many it needs.
 *
 * In the loop   Situation, Policy → **count** → exclusions
 * Pure, total   undefined without a node table: then nothing can be counted.
 * Keeps         a node counts only if Slurm may give it to the job now or when another one ends: in its partitions, neither down, drained
 *               nor reserved for others, and kept away from by nobody. Features are not in the table: a job that asks for some may have fewer.
 */
import type { Policy } from "../nouns.ts";
import type { Situation } from "../situation/situation.ts";

export interface Eligible {
  readonly needed: number;
  readonly names: ReadonlySet<string>;
}

export function eligibleFor(s: Situation, policy: Policy): Eligible | undefined {
  if (s.nodes.length === 0) return undefined;
  const away = new Set([...policy.excludeNodes, ...s.attempt.nodeConstraints.exclusions]);
  const { reservation } = slurmOf(s);
  // Whose reservation a node is of the table does not say: of a job that has one, the reserved nodes may be its spares.
  const isReserved = (state = "") => typeof reservation === "string" && reservation !== "" && state === "reserved";
  const usable = inReach(s).filter((n) => (n.isEligible || isReserved(n.state)) && !away.has(n.name));
  return { needed: neededBy(s), names: new Set(usable.map((n) => n.name)) };
}

/** One that waits shows no nodes: as many as the job was given last. */
function neededBy({ attempt, earlier }: Situation): number {
  const given = [...earlier.map((before) => before.attempt), attempt].findLast(({ nodes }) => nodes.length > 0);
  return given?.nodes.length ?? 1;
}

/** Nodes of the job's partitions, in whatever state they are. */
export function inReach(s: Situation): Situation["nodes"] {
  const partitions = partitionsOf(s);
  return partitions.length === 0 ? s.nodes : s.nodes.filter((n) => n.partitions.some((p) => partitions.includes(p)));
}

/** A required node that is excluded is BadConstraints. */
export const requiredBy = (s: Situation, policy: Policy): ReadonlySet<string> =>
  new Set([...policy.includeNodes, ...s.attempt.nodeConstraints.inclusions]);

function partitionsOf(s: Situation): readonly string[] {
  const { partition } = slurmOf(s);
  return typeof partition === "string" && partition !== "" ? partition.split(",") : [];
}

const slurmOf = ({ attempt }: Situation): { readonly partition?: unknown; readonly reservation?: unknown } =>
  (attempt.schedulerMetadata["slurm"] as { readonly partition?: unknown } | undefined) ?? {};
