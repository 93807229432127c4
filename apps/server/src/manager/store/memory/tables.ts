/**
 * tables: everything that the memory body of the store keeps: the tables of PostgreSQL as maps, and the few indexes of them.
 *
 * Keeps   a row is never changed in place: it is replaced by another one. So a copy of the maps is a copy of everything.
 */
import type { Instant, ReconciliationStatus } from "@reprise/core/nouns.ts";
import type { PassState } from "../../pass-state.ts";
import type { LogPosition, NodeRecord, StepRecord, StoredDecision, StoredSignal } from "../../store.ts";
import type { NodeLine, NodeLogPosition } from "@reprise/protocol/wire/node-line.ts";
import type { Course } from "@reprise/core/course/course.ts";
import type { Clearance } from "@reprise/core/evidence/clearance.ts";
import type { NodeEvidence } from "@reprise/core/evidence/node-evidence.ts";
import type { ClusterOrders } from "@reprise/core/mode/cluster-orders.ts";
import type { Override } from "@reprise/core/override/override.ts";
import type { StoredAuditEvent } from "../../audit/audit-trail.ts";
import type { RecoverySequence } from "../../sequence/recovery-sequence.ts";
import type { TokenRecord } from "../../token-record.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import type { ProgressRow } from "../postgres/fold-progress.ts";
import type { NewGeneration } from "../rules/next-generation.ts";
import type { NoticeRow } from "./notice-table.ts";
import type { TraceRow } from "./trace-table.ts";

export interface FactsRow {
  readonly seq: number;
  readonly decidedSeq: number;
  readonly changedAt: Instant;
  readonly reconsiderAt?: Instant;
  readonly claimedUntil: Instant;
}

export interface GenerationRow extends NewGeneration {
  readonly generation: number;
  readonly recordedAt: Instant;
}

/** Which generation counts, and where it stands. */
export interface HeadRow {
  readonly cluster: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly status: ReconciliationStatus;
}

export interface StatusRow {
  readonly status: ReconciliationStatus;
  readonly recordedAt: Instant;
  readonly isEffective: boolean;
}

export interface OverrideRow extends Override {
  readonly number: number;
}

export interface EvidenceRow extends NodeEvidence {
  readonly nodesAtRisk: number;
}

export interface PassRow extends PassState {
  readonly leaseTerm: number;
}

export interface LeaseRow {
  readonly holder: string;
  readonly term: number;
  readonly expiresAt: Instant;
}

export interface TargetRow {
  readonly watcher?: string;
  readonly expiresAt: Instant;
  readonly nodeLinesNumber?: number;
}

export interface NodeLogRow {
  readonly watcher?: string;
  readonly expiresAt: Instant;
  readonly positions: readonly NodeLogPosition[];
}

/** Behind the attempt with this place in the order of creation, and behind so many that came late. */
export type PlaceRow = readonly [createdSeq: number, lateSeq: number];

/** By UUID of the attempt, unless something else is said. */
export interface Tables {
  readonly jobs: Map<string, NumberedRow>;
  /** UUIDs of all attempts in the order of creation; of one that has gone for its age another name, under which nobody is found. */
  readonly created: string[];
  /** Job ID → UUIDs, over all clusters and incarnations. Rows that have only a UUID are not in it. */
  readonly families: Map<string, Set<string>>;
  /** Cluster → `attemptKey` → UUID, of all rows that are listed. */
  readonly listed: Map<string, Map<string, string>>;
  /** List and value → UUID → place, in the order of coming; of attempts in `moved`. */
  readonly places: Map<string, Map<string, PlaceRow>>;
  readonly moved: Set<string>;
  /** UUIDs as they came late, each as often as it did. */
  readonly late: string[];
  /** Workflow ID → its name, in the order of creation. */
  readonly workflows: Map<string, string | undefined>;
  /** Workflow IDs in the order of creation; empty where nobody is left. */
  readonly createdWorkflows: string[];
  /** Attempts that have lost their details for their age. */
  readonly detailExpired: Set<string>;
  readonly facts: Map<string, FactsRow>;
  /** Attempts whose facts have changed since they were decided, or that are to be reconsidered some time. */
  readonly undecided: Set<string>;
  /** → key → signal, in the order of recording. */
  readonly signals: Map<string, Map<string, StoredSignal>>;
  readonly progress: Map<string, ProgressRow>;
  /** → node → what is said against it. */
  readonly evidence: Map<string, ReadonlyMap<string, EvidenceRow>>;
  /** Cluster → node → its last repair. */
  readonly clearances: Map<string, Map<string, Clearance>>;
  /** → path → position. */
  readonly positions: Map<string, Map<string, LogPosition>>;
  readonly courses: Map<string, Course>;
  readonly targets: Map<string, TargetRow>;
  /** Cluster and node → key → line. */
  readonly nodeLines: Map<string, Map<string, NodeLine & { readonly recordedAt: Instant }>>;
  readonly nodeLogs: Map<string, NodeLogRow>;
  readonly decisions: Map<string, StoredDecision>;
  /** The one that the newest Advice says. */
  readonly advised: Map<string, StoredDecision>;
  /** Every generation, oldest first. */
  readonly generations: Map<string, GenerationRow[]>;
  readonly heads: Map<string, HeadRow>;
  /** Cluster → UUIDs of attempts whose Advice is PENDING. */
  readonly pending: Map<string, Set<string>>;
  /** Attempts whose restart was open when the lease went from one SAC to another: the first one may have begun it. */
  readonly handedOver: Set<string>;
  readonly statuses: Map<string, StatusRow[]>;
  /** Orders of people, oldest first; `number` is their order over all attempts. */
  readonly overrides: Map<string, OverrideRow[]>;
  /** In the order of recording; and (producer, idempotency key) of those that have one. */
  readonly audit: StoredAuditEvent[];
  readonly auditKeys: Set<string>;
  /** By ID of the sequence. */
  readonly sequences: Map<string, RecoverySequence>;
  readonly traces: Map<string, TraceRow>;
  /** By cluster, as the next four. */
  readonly passes: Map<string, PassRow>;
  readonly nodes: Map<string, Map<string, NodeRecord>>;
  /** The same by name, made when they are asked for. */
  readonly sortedNodes: Map<string, readonly NodeRecord[]>;
  readonly leases: Map<string, LeaseRow>;
  readonly clusterOrders: Map<string, ClusterOrders>;
  /** By key of the step. */
  readonly steps: Map<string, StepRecord>;
  readonly stepKeys: Map<string, Set<string>>;
  /** By ID. */
  readonly tokens: Map<string, TokenRecord>;
  /** By key. */
  readonly notices: Map<string, NoticeRow>;
  /** Cluster → what is so → since when. */
  readonly conditions: Map<string, Map<string, Instant>>;
}

export const emptyTables = (): Tables => ({
  jobs: new Map(),
  created: [],
  families: new Map(),
  listed: new Map(),
  places: new Map(),
  moved: new Set(),
  late: [],
  workflows: new Map(),
  createdWorkflows: [],
  detailExpired: new Set(),
  facts: new Map(),
  undecided: new Set(),
  signals: new Map(),
  progress: new Map(),
  evidence: new Map(),
  clearances: new Map(),
  positions: new Map(),
  courses: new Map(),
  targets: new Map(),
  nodeLines: new Map(),
  nodeLogs: new Map(),
  decisions: new Map(),
  advised: new Map(),
  generations: new Map(),
  heads: new Map(),
  pending: new Map(),
  handedOver: new Set(),
  statuses: new Map(),
  overrides: new Map(),
  audit: [],
  auditKeys: new Set(),
  sequences: new Map(),
  traces: new Map(),
  passes: new Map(),
  nodes: new Map(),
  sortedNodes: new Map(),
  leases: new Map(),
  clusterOrders: new Map(),
  steps: new Map(),
  stepKeys: new Map(),
  tokens: new Map(),
  notices: new Map(),
  conditions: new Map(),
});

export function copyTables(tables: Tables): Tables {
  return Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, copy(table)])) as unknown as Tables;
}

/** Maps, sets and lists; not the rows in them. */
function copy(value: unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([key, part]) => [key, copy(part)]));
  if (value instanceof Set) return new Set(value);
  return Array.isArray(value) ? [...(value as unknown[])] : value;
}

/** What is kept under `key`; made when it is not there. */
export function at<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let found = map.get(key);
  if (found === undefined) map.set(key, (found = make()));
  return found;
}

/**
 * Columns of PostgreSQL that take whole numbers only: another body must not be kinder.
 *
 * @throws A number with a fraction, or beyond 2^53, is a bug of whoever reports it.
 */
export function requireWhole<T extends object>(table: string, row: T, columns: readonly (keyof T & string)[]): void {
  for (const column of columns) {
    const value = row[column];
    if (value === undefined || Number.isSafeInteger(value)) continue;
    throw new Error(`${table}.${column} ${String(value)}: expected a whole number`);
  }
}
