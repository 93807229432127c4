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

/** 32 hexadecimal digits: the trace is the sequence. */
export const traceIdOf = (sequenceId: string): string => sequenceId.toLowerCase().replaceAll("-", "");

/** The span that all others of a recovery are in. */
export const rootSpan = "root";

/** 16 hexadecimal digits. @param name Unique in its trace: whoever tells that span again tells the same one. */
export const spanIdOf = (sequenceId: string, name: string): string => traceIdOf(uuidV5(sequenceId, name)).slice(0, 16);

/** `00-<trace>-<span>-01`: the span is the root; sampled. */
export const traceparentOf = (sequenceId: string): string =>
  `00-${traceIdOf(sequenceId)}-${spanIdOf(sequenceId, rootSpan)}-01`;

/** Of what is done for one Advice: for log lines. */
export const traceOf = ({ heimdallJobId, desired }: { heimdallJobId: string; desired: DesiredState }): string =>
  traceIdOf(sequenceIdOf(heimdallJobId, operationOf(desired)));

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
