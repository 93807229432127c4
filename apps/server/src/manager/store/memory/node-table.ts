/** node-table: the nodes of each cluster, as the last pass that named them saw them. See `postgres/node-store.ts`. */
import type { NodeRecord } from "../../store.ts";
import { areEqual } from "@reprise/core/equal.ts";
import { present, storable } from "../postgres/storable.ts";
import { at, type Tables } from "./tables.ts";

/** @param nodes As they were given: after a failure a reporter tells all again, and what is equal to what is stored needs no cleaning. */
export function saveNodes(t: Tables, cluster: string, nodes: readonly NodeRecord[]): void {
  if (nodes.length === 0) return;
  const known = at(t.nodes, cluster, () => new Map<string, NodeRecord>());
  let sorted = t.sortedNodes.get(cluster);
  let isChanged = false;
  for (const given of nodes) {
    if (areEqual(known.get(given.name), given)) continue;
    const { name, state, isEligible, partitions, features, reservations, hardware } = storable(given);
    const node = { name, state, isEligible, partitions, ...present({ features, reservations, hardware }) };
    if (areEqual(known.get(name), node)) continue;
    if (!known.has(name)) sorted = undefined;
    known.set(name, node);
    isChanged = true;
  }
  if (!isChanged) return;
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
