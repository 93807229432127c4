/**
 * watching-schema: the tables of what watchers report, and of what they are to read. `schema.ts` has the others.
 */
import type { Generated } from "kysely";
import type { Course, LogContext } from "@reprise/core/course/course.ts";
import type { Evidence, Instant } from "@reprise/core/nouns.ts";
import type { NodeLogPosition } from "@reprise/protocol/wire/node-line.ts";
import type { Json } from "./schema.ts";

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
  detail: string | null;
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
  log_heard_at: Instant | null;
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
  memory: string | null;
}

export interface CourseTable {
  heimdall_job_id: string;
  curve: Json<Omit<Course, "contexts">>;
  contexts: Json<readonly LogContext[]>;
}

export interface TargetLeaseTable {
  heimdall_job_id: string;
  watcher: string | null;
  expires_at: Instant;
  /** How many lines of its nodes have come that concern it; null: none. */
  node_lines_number: number | null;
}

export interface NodeLineTable {
  id: Generated<number>;
  cluster: string;
  node: string;
  key: string;
  at: Instant;
  line: string;
  path: string | null;
  offset: number | null;
  reporter: string;
  recorded_at: Instant;
}

export interface NodeLogTable {
  cluster: string;
  node: string;
  watcher: string | null;
  expires_at: Instant;
  positions: Json<readonly NodeLogPosition[]>;
}
