/**
 * schema: the tables as TypeScript sees them: one interface a table, columns as in SQL.
 *
 * Keeps   a column that is missing here cannot be read or written. bigint arrives as a number (`numeric-types.ts`).
 */
import type { ColumnType, Generated, Kysely, Transaction } from "kysely";
import type {
  AttemptRecord,
  Coverage,
  DesiredState,
  Disposition,
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

/** Read as a value, written as the text that `json()` makes. */
type Json<T> = ColumnType<T, string, string>;
type JsonOrNull<T> = ColumnType<T | null, string | null, string | null>;

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
}

export interface WorkflowTable {
  workflow_id: string;
  created_seq: Generated<number>;
  name: string | null;
}

export interface FactsTable {
  heimdall_job_id: string;
  seq: number;
  decided_seq: number;
  changed_at: Instant;
  reconsider_at: Instant | null;
  claimed_until: Instant;
}

export interface SignalTable {
  id: Generated<number>;
  heimdall_job_id: string;
  key: string;
  kind: string;
  at: Instant;
  evidence: Json<Evidence>;
  cause: string | null;
  cause_class: string | null;
  domain: string | null;
  root: boolean;
  exit_independent: boolean;
  nodes: Json<readonly string[]>;
  rank: number | null;
  step: number | null;
  step_spacing_ms: number | null;
  reporter: string;
  recorded_at: Instant;
}

export interface ProgressTable {
  heimdall_job_id: string;
  first_step: number | null;
  first_step_at: Instant | null;
  last_step: number | null;
  last_step_at: Instant | null;
  step_spacing_ms: number | null;
  checkpoint_step: number | null;
  checkpoint_at: Instant | null;
  resumed_from_step: number | null;
  resumed_at: Instant | null;
  last_resumed_at: Instant | null;
  log_read_at: Instant | null;
  log_ended_at: Instant | null;
}

export interface LogPositionTable {
  heimdall_job_id: string;
  path: string;
  device: string;
  inode: string;
  offset: number;
  start: number;
  read_at: Instant | null;
  ended: boolean;
  unreadable: string | null;
}

export interface TargetLeaseTable {
  heimdall_job_id: string;
  watcher: string | null;
  expires_at: Instant;
}

export interface DecisionTable {
  heimdall_job_id: string;
  decision: Json<Decision>;
  facts_seq: number;
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
}

export interface AdviceStatusTable {
  id: Generated<number>;
  heimdall_job_id: string;
  observed_generation: number;
  disposition: Disposition;
  reason: ReconciliationReason;
  message: string;
  observed_at: Instant;
  recorded_at: Instant;
  effective: boolean;
}

export interface AuditTable {
  id: Generated<number>;
  heimdall_job_id: string | null;
  cluster: string | null;
  job_id: string | null;
  attempt_index: number | null;
  producer: string;
  type: string;
  level: string;
  payload: Json<JsonObject>;
  idempotency_key: string | null;
  produced_at_us: number;
}

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
}

export interface NodeTable {
  cluster: string;
  name: string;
  state: string;
  is_eligible: boolean;
  partitions: Json<readonly string[]>;
}

export interface LeaseTable {
  cluster: string;
  holder: string;
  term: number;
  expires_at: Instant;
}

export interface StepTable {
  key: string;
  heimdall_job_id: string;
  job_id: string;
  attempt_index: number;
  generation: number;
  action: string;
  begun_at: Instant;
  ended_at: Instant | null;
  outcome: string;
  detail: string;
}

export interface Tables {
  job: JobTable;
  workflow: WorkflowTable;
  facts: FactsTable;
  signal: SignalTable;
  progress: ProgressTable;
  log_position: LogPositionTable;
  target_lease: TargetLeaseTable;
  decision: DecisionTable;
  advice: AdviceTable;
  advice_head: AdviceHeadTable;
  advice_status: AdviceStatusTable;
  audit: AuditTable;
  pass: PassTable;
  node: NodeTable;
  lease: LeaseTable;
  step: StepTable;
}

export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;
