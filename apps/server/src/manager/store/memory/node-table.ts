/** node-table: the nodes of each cluster, as the last pass that named them saw them. See `postgres/node-store.ts`. */
import type { NodeRecord } from "../../store.ts";
import { areEqual, present, storable } from "../postgres/storable.ts";
import { at, type Tables } from "./tables.ts";

/** @param nodes As they were given: after a failure a reporter tells all again, and what is equal to what is stored needs no cleaning. */
export function saveNodes(t: Tables, cluster: string, nodes: readonly NodeRecord[]): void {
  if (nodes.length === 0) return;
  const known = at(t.nodes, cluster, () => new Map<string, NodeRecord>());
  let sorted = t.sortedNodes.get(cluster);
  let isChanged = false;
  for (const given of nodes) {
    if (isSameNode(known.get(given.name), given)) continue;
    const { name, state, isEligible, partitions, features, reservations, hardware } = storable(given);
    const node = { name, state, isEligible, partitions, ...present({ features, reservations, hardware }) };
    if (isSameNode(known.get(name), node)) continue;
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

const isSameNode = (known: NodeRecord | undefined, node: NodeRecord): boolean =>
  known !== undefined &&
  known.name === node.name &&
  known.state === node.state &&
  known.isEligible === node.isEligible &&
  isSameList(known.partitions, node.partitions) &&
  isSameList(known.features, node.features) &&
  isSameList(known.reservations, node.reservations) &&
  areEqual(known.hardware, node.hardware);

function isSameList(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** By name. Thousands of them rarely change. */
export function nodesOf(t: Tables, cluster: string): readonly NodeRecord[] {
  return at(t.sortedNodes, cluster, () =>
    [...(t.nodes.get(cluster)?.values() ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
}
