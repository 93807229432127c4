/**
 * node-store: the nodes of each cluster, as the last pass that named them saw them.
 *
 * Writes   table `node`. A pass may name all nodes or only those that changed.
 */
import { sql } from "kysely";
import type { NodeRecord } from "../../store.ts";
import type { Db, Tx } from "./schema.ts";
import { json, present } from "./storable.ts";

/** @returns How many nodes are new or different. */
export async function saveNodes(tx: Tx, cluster: string, nodes: readonly NodeRecord[]): Promise<number> {
  if (nodes.length === 0) return 0;
  const rows = [...new Map(nodes.map((node) => [node.name, node])).values()];
  const { rows: changed } = await sql`
    insert into node (cluster, name, state, is_eligible, partitions, features, reservations, hardware)
    select ${cluster}, n.name, n.state, n."isEligible", n.partitions, n.features, n.reservations, n.hardware
    from jsonb_to_recordset(${json(rows)}::jsonb) as n (name text, state text, "isEligible" boolean, partitions jsonb, features jsonb,
      reservations jsonb, hardware jsonb)
    on conflict (cluster, name) do update set state = excluded.state, is_eligible = excluded.is_eligible,
      partitions = excluded.partitions, features = excluded.features, reservations = excluded.reservations,
      hardware = excluded.hardware
    where (node.state, node.is_eligible, node.partitions, node.features, node.reservations, node.hardware)
      is distinct from (excluded.state, excluded.is_eligible, excluded.partitions, excluded.features, excluded.reservations,
        excluded.hardware)
    returning name`.execute(tx);
  return changed.length;
}

export interface NodeCache {
  /** @param nodesSeq From the row in `pass`: with an equal number the nodes are those that were read before. */
  nodesOf(db: Db, cluster: string, nodesSeq: number): Promise<readonly NodeRecord[]>;
}

/** A decision needs every node of its cluster, and thousands of them rarely change. */
export function createNodeCache(): NodeCache {
  const known = new Map<string, { readonly nodesSeq: number; readonly nodes: readonly NodeRecord[] }>();
  return {
    async nodesOf(db, cluster, nodesSeq) {
      const cached = known.get(cluster);
      if (cached?.nodesSeq === nodesSeq) return cached.nodes;
      const nodes = await listNodes(db, cluster);
      known.set(cluster, { nodesSeq, nodes });
      return nodes;
    },
  };
}

/** By name. */
export async function listNodes(db: Db, cluster: string): Promise<readonly NodeRecord[]> {
  const rows = await db.selectFrom("node").selectAll().where("cluster", "=", cluster).orderBy("name").execute();
  return rows.map(({ name, state, is_eligible, partitions, features, reservations, hardware }) => ({
    name,
    state,
    isEligible: is_eligible,
    partitions,
    ...present({ features, reservations, hardware }),
  }));
}
