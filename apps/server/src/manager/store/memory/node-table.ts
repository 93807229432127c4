/** node-table: the nodes of each cluster, as the last pass that named them saw them. See `postgres/node-store.ts`. */
import type { NodeRecord } from "../../store.ts";
import { areEqual, present } from "../postgres/storable.ts";
import { at, type Tables } from "./tables.ts";

export function saveNodes(t: Tables, cluster: string, nodes: readonly NodeRecord[]): void {
  if (nodes.length === 0) return;
  const known = at(t.nodes, cluster, () => new Map<string, NodeRecord>());
  let sorted = t.sortedNodes.get(cluster);
  for (const { name, state, isEligible, partitions, features, reservations, hardware } of nodes) {
    const node = { name, state, isEligible, partitions, ...present({ features, reservations, hardware }) };
    if (areEqual(known.get(name), node)) continue;
    if (!known.has(name)) sorted = undefined;
    known.set(name, node);
  }
  if (sorted === undefined) t.sortedNodes.delete(cluster);
  else
    t.sortedNodes.set(
      cluster,
      sorted.map((node) => known.get(node.name) ?? node),
    );
}

/** By name. Thousands of them rarely change. */
export function nodesOf(t: Tables, cluster: string): readonly NodeRecord[] {
  return at(t.sortedNodes, cluster, () =>
    [...(t.nodes.get(cluster)?.values() ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
}
