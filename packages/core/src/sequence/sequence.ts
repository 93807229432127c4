/**
 * sequence: the name of one recovery: everything that is done for one operation on one source attempt, under one trace.
 *
 * In the loop   Advice → **sequence** → Milestones
 * Pure, total
 * Keeps         names are computed, never drawn: SAC knows a sequence while the server is away, both stores make the same one, and
 *               a decision that is made twice makes it once.
 * Source        RFC 9562 §5.5; W3C Trace Context, level 1.
 */
import { uuidV5 } from "../identity/attempt-uuid.ts";
import type { DesiredState } from "../nouns.ts";
import type { StepAction } from "../plan/work.ts";

/** `heimdall.v1.RecoveryOperation` without its prefix. */
export type RecoveryOperation = "RESTART" | "TERMINATE" | "DAG_RELEASE";
/** `heimdall.v1.RecoverySchedulerAction` without its prefix. */
export type SchedulerAction = "SLURM_REQUEUE_HOLD" | "SLURM_UPDATE_CONSTRAINTS" | "SLURM_RELEASE" | "SLURM_CANCEL";

const operations: Readonly<Record<DesiredState, RecoveryOperation>> = {
  RESTARTED: "RESTART",
  TERMINATED: "TERMINATE",
  RELEASED: "DAG_RELEASE",
};
export const operationOf = (desired: DesiredState): RecoveryOperation => operations[desired];

/** Of the attempt's own namespace: its UUID tells cluster, job, incarnation and attempt apart. */
export const sequenceIdOf = (heimdallJobId: string, operation: RecoveryOperation): string =>
  uuidV5(heimdallJobId.toLowerCase(), `recovery/${operation}`);

/** `00-<trace>-<span>-01`: the trace is the sequence, the span its root; sampled. */
export function traceparentOf(sequenceId: string): string {
  const digits = (uuid: string) => uuid.replaceAll("-", "");
  return `00-${digits(sequenceId)}-${digits(uuidV5(sequenceId, "root")).slice(0, 16)}-01`;
}

const actions: Readonly<Record<StepAction, SchedulerAction | undefined>> = {
  "requeue-hold": "SLURM_REQUEUE_HOLD",
  "update-constraints": "SLURM_UPDATE_CONSTRAINTS",
  release: "SLURM_RELEASE",
  "watchdog-release": "SLURM_RELEASE",
  cancel: "SLURM_CANCEL",
  mark: undefined, // Bookkeeping of ours.
  "set-start": undefined, // The wire has no word for it.
  "repair-dependency": undefined, // Of another job.
};
/** Undefined: such a step is no milestone. */
export const actionOf = (step: StepAction): SchedulerAction | undefined => actions[step];
