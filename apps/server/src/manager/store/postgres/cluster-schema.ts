/** cluster-schema: the tables that have a row for a whole cluster, or for a node of one. Part of `schema.ts`. */
import type { ModeOrder, ModeReport, Said } from "@reprise/core/mode/cluster-orders.ts";
import type { NodeHardware } from "@reprise/core/fact/node-hardware.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Json, JsonOrNull } from "./schema.ts";

export interface PassTable {
  cluster: string;
  lease_term: number;
  taken_at: Instant;
  unavailable: string | null;
  complete_at: Instant | null;
  mode: string;
  partitions: Json<readonly string[]>;
  /** Raised with every change in `node`, so that an unchanged node table is read once. */
  nodes_seq: number;
  /** Null: the reporter told none. */
  slurm_version: string | null;
  slurm_standing: string | null;
  /** What its SAC says of its mode. Null: it takes no orders about the cluster. */
  sac: JsonOrNull<ModeReport>;
  /** As `taken_at` and `complete_at`, by the server's clock. */
  heard_at: Instant;
  complete_heard_at: Instant | null;
  /** Null: the last report had no name. */
  report_id: string | null;
}

export interface ClusterOrderTable {
  cluster: string;
  generation: number;
  mode: JsonOrNull<ModeOrder>;
  stop: JsonOrNull<Said>;
}

export interface NodeTable {
  cluster: string;
  name: string;
  state: string;
  is_eligible: boolean;
  partitions: Json<readonly string[]>;
  /** Null: not known. */
  features: JsonOrNull<readonly string[]>;
  reservations: JsonOrNull<readonly string[]>;
  hardware: JsonOrNull<NodeHardware>;
}

/** Of each node the last repair that somebody told. */
export interface NodeClearanceTable {
  cluster: string;
  node: string;
  cleared_at: Instant;
  by_whom: string;
  reason: string;
}

export interface LeaseTable {
  cluster: string;
  holder: string;
  term: number;
  expires_at: Instant;
}
