/**
 * history-schema: the tables that tell what has happened. `schema.ts` has the others.
 */
import type { Generated } from "kysely";
import type { Disposition, Instant, JsonValue, ReconciliationReason } from "@reprise/core/nouns.ts";
import type { RecoveryOperation, SchedulerAction } from "@reprise/core/sequence/sequence.ts";
import type { Json } from "./schema.ts";

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

export interface AuditTable {
  id: Generated<number>;
  heimdall_job_id: string | null;
  cluster: string | null;
  job_id: string | null;
  attempt_index: number | null;
  producer: string;
  type: string;
  level: string;
  payload: Json<JsonValue>;
  idempotency_key: string | null;
  produced_at_us: number;
}

export interface RecoverySequenceTable {
  sequence_id: string;
  heimdall_job_id: string;
  operation: RecoveryOperation;
  started_at: Instant;
}

export interface RecoveryMilestoneTable {
  id: Generated<number>;
  sequence_id: string;
  idempotency_key: string;
  action: SchedulerAction;
  completed_at: Instant;
  outcome: string | null;
}

export interface RecoveryTraceTable {
  sequence_id: string;
  /** Null: nothing more comes. */
  due_at: Instant | null;
  /** Names of spans. */
  told: Json<readonly string[]>;
}
