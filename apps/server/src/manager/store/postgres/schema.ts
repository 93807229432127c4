/**
 * schema: the tables as TypeScript sees them: one interface a table, columns as in SQL.
 *
 * Keeps   a column that is missing here cannot be read or written. bigint arrives as a number (`numeric-types.ts`).
 *         The tables of what watchers report are in `watching-schema.ts`, those of what has happened in `history-schema.ts`, those of
 *         whole clusters in `cluster-schema.ts`, the outbox of notices in `notice-schema.ts`.
 */
import type { ColumnType, GeneratedAlways, Kysely, Transaction } from "kysely";
import type {
  AttemptRecord,
  CauseClass,
  Coverage,
  DesiredState,
  Disposition,
  Domain,
  Evidence,
  Exclusion,
  Instant,
  Issue,
  JmState,
  JobStatus,
  JsonObject,
  ReconciliationReason,
} from "@reprise/core/nouns.ts";
import type { Decision } from "@reprise/core/decide/decision.ts";
import type { OverrideAction } from "@reprise/core/override/override.ts";
import type { Role } from "../../token-record.ts";
import type { ClusterOrderTable, LeaseTable, NodeClearanceTable, NodeTable, PassTable } from "./cluster-schema.ts";
import type {
  AdviceStatusTable,
  AuditTable,
  RecoveryMilestoneTable,
  RecoverySequenceTable,
  RecoveryTraceTable,
  StepTable,
} from "./history-schema.ts";
import type { NoticeConditionTable, NoticeSendingTable, NoticeTable } from "./notice-schema.ts";
import type {
  CourseTable,
  LogPositionTable,
  NodeLineTable,
  NodeLogTable,
  ProgressTable,
  SignalTable,
  TargetLeaseTable,
} from "./watching-schema.ts";

/** Read as a value, written as the text that `json()` makes. */
export type Json<T> = ColumnType<T, string, string>;
export type JsonOrNull<T> = ColumnType<T | null, string | null, string | null>;

export interface JobTable {
  heimdall_job_id: string;
  created_seq: number;
  cluster: string;
  job_id: string;
  attempt_index: number;
  incarnation: number;
  incarnation_submit_at: Instant | null;
  workflow_id: string;
  job_name: string | null;
  nodes: Json<readonly string[]>;
  gpu_count_per_node: number | null;
  node_constraints: Json<AttemptRecord["nodeConstraints"]>;
  additional_properties: JsonOrNull<NonNullable<AttemptRecord["additionalProperties"]>>;
  status: JobStatus;
  jm_state: JmState;
  scheduler_metadata: Json<JsonObject>;
  recovery_config: JsonOrNull<JsonObject>;
  coverage: Json<Coverage>;
  submit_at: Instant | null;
  user_name: string | null;
  command: string | null;
  sluid: string | null;
  is_listed: boolean;
  started_at: Instant | null;
  ended_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
  last_seen_at: Instant;
  /** It has rows in `listing_place`. */
  has_moved: boolean;
}

export interface WorkflowTable {
  workflow_id: string;
  created_seq: number;
  name: string | null;
}

/** Where an attempt stands in a listing, once it has changed its workflow or got its job ID. */
export interface ListingPlaceTable {
  list: "workflow" | "job";
  value: string;
  heimdall_job_id: string;
  created_seq: number;
  /** 0: it is the attempt that was created there. */
  late_seq: number;
}

export interface FactsTable {
  heimdall_job_id: string;
  seq: number;
  decided_seq: number;
  changed_at: Instant;
  reconsider_at: Instant | null;
  claimed_until: Instant;
}

export interface DecisionTable {
  heimdall_job_id: string;
  decision: Json<Decision>;
  facts_seq: number;
  decided_at: Instant;
}

/** What the newest Advice about an attempt says: its decision with every rule's answer. */
export interface AdviceDecisionTable {
  heimdall_job_id: string;
  decision: Json<Decision>;
  decided_at: Instant;
}

export interface AdviceTable {
  heimdall_job_id: string;
  generation: number;
  desired: DesiredState;
  exclusions: Json<readonly Exclusion[]>;
  issues: Json<readonly Issue[]>;
  because: string;
  sentence: string;
  start_delay_ms: number;
  charged: boolean;
  root_key: string;
  recorded_at: Instant;
  expires_at: Instant;
  withdrawn_at: Instant | null;
}

export interface AdviceHeadTable {
  heimdall_job_id: string;
  cluster: string;
  generation: number;
  created_at: Instant;
  updated_at: Instant;
  observed_generation: number;
  disposition: Disposition;
  reason: ReconciliationReason;
  message: string;
  observed_at: Instant;
  /** A restart of it was open when the lease went from one SAC to another: the first one may have begun it. */
  handed_over: ColumnType<boolean, never, boolean>;
}

export interface OverrideTable {
  id: GeneratedAlways<number>;
  heimdall_job_id: string;
  action: OverrideAction;
  attempt_index: number;
  reason: string;
  by_whom: string;
  ordered_at: Instant;
  generation: number | null;
}

export interface NodeEvidenceTable {
  heimdall_job_id: string;
  node: string;
  cluster: string;
  cause: string;
  cause_class: CauseClass;
  domain: Domain;
  at: Instant;
  confidence: number;
  expires_at: Instant;
  counts: boolean;
  evidence: Json<Evidence>;
  nodes_at_risk: number;
}

export interface TokenTable {
  id: string;
  name: string;
  roles: Json<readonly Role[]>;
  secret_hash: string;
  created_at: Instant;
  expires_at: Instant | null;
  revoked_at: Instant | null;
}

export interface Tables {
  job: JobTable;
  workflow: WorkflowTable;
  listing_place: ListingPlaceTable;
  facts: FactsTable;
  signal: SignalTable;
  progress: ProgressTable;
  log_position: LogPositionTable;
  course: CourseTable;
  target_lease: TargetLeaseTable;
  node_line: NodeLineTable;
  node_log: NodeLogTable;
  decision: DecisionTable;
  advice: AdviceTable;
  advice_decision: AdviceDecisionTable;
  advice_head: AdviceHeadTable;
  advice_status: AdviceStatusTable;
  audit: AuditTable;
  recovery_sequence: RecoverySequenceTable;
  recovery_milestone: RecoveryMilestoneTable;
  recovery_trace: RecoveryTraceTable;
  job_override: OverrideTable;
  node_evidence: NodeEvidenceTable;
  pass: PassTable;
  node: NodeTable;
  node_clearance: NodeClearanceTable;
  lease: LeaseTable;
  cluster_order: ClusterOrderTable;
  step: StepTable;
  token: TokenTable;
  notice: NoticeTable;
  notice_sending: NoticeSendingTable;
  notice_condition: NoticeConditionTable;
}

export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;
