/**
 * wanted-nodes: the nodes whose logs are to be read, and from which time on.
 *
 * Pure, total
 */
import type { NodeLog } from "../../node-log-store.ts";
import { hasLogs, type JobRow } from "../attempt/job-row.ts";
import { stayOf } from "./node-window.ts";

/** @returns By cluster and name. */
export function wantedNodes(attempts: readonly JobRow[]): readonly Omit<NodeLog, "positions">[] {
  const wanted = new Map<string, Omit<NodeLog, "positions">>();
  for (const row of attempts) {
    const stay = stayOf(row);
    if (!hasLogs(row) || stay === undefined) continue;
    const { cluster } = row;
    for (const node of row.nodes) {
      const known = wanted.get(`${cluster} ${node}`);
      if (known === undefined || stay.from < known.since)
        wanted.set(`${cluster} ${node}`, { cluster, node, since: stay.from });
    }
  }
  const nameOf = ({ cluster, node }: Omit<NodeLog, "positions">) => `${cluster} ${node}`;
  return [...wanted.values()].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
