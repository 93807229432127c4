/**
 * wanted-nodes: the nodes whose logs are to be read, and from which time on.
 *
 * Pure, total
 */
import type { NodeLog } from "../../node-log-store.ts";
import { hasLogs, type JobRow } from "../attempt/job-row.ts";
import { stayOf } from "./node-window.ts";

/** Without how far it was read. */
export type WantedNode = Omit<NodeLog, "positions">;

/** Of a node, among those of all clusters. */
export const nameOf = ({ cluster, node }: Pick<WantedNode, "cluster" | "node">): string => `${cluster} ${node}`;

/** @returns By cluster and name. */
export function wantedNodes(attempts: readonly JobRow[]): readonly WantedNode[] {
  const wanted = new Map<string, WantedNode>();
  for (const row of attempts) {
    const stay = stayOf(row);
    if (!hasLogs(row) || stay === undefined) continue;
    const { cluster } = row;
    for (const node of row.nodes) {
      const name = nameOf({ cluster, node });
      const known = wanted.get(name);
      if (known === undefined || stay.from < known.since) wanted.set(name, { cluster, node, since: stay.from });
    }
  }
  return [...wanted.values()].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
