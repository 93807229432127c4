/**
 * enums: the wire's numbers ↔ our short names (`JOB_STATUS_RUNNING` = 2 ↔ `"RUNNING"`).
 *
 * Pure    `…ToWire` is total. `…FromWire` is undefined for UNSPECIFIED, and refuses a number we do not know.
 * Keeps   the names are those of `core/nouns.ts`: one that the proto lacks does not compile.
 */
import type {
  CauseClass,
  DesiredState,
  Disposition,
  Domain,
  Issue,
  JobStatus,
  ReconciliationReason,
} from "@reprise/core/nouns.ts";
import type { RecoveryOperation, SchedulerAction } from "@reprise/core/sequence/sequence.ts";
import {
  AdviceDesiredState,
  AdviceReconciliationDisposition,
  AdviceReconciliationReason,
  JobStatus as WireJobStatus,
  RecoveryOperation as WireOperation,
  RecoverySchedulerAction,
} from "../gen/heimdall/v1/heimdall_pb.ts";
import { invalid, shown } from "./check.ts";

export const jobStatusToWire = (status: JobStatus): WireJobStatus => WireJobStatus[status];
export const jobStatusFromWire = reader<JobStatus>(WireJobStatus);

export const desiredStateToWire = (desired: DesiredState): AdviceDesiredState => AdviceDesiredState[desired];
export const desiredStateFromWire = reader<DesiredState>(AdviceDesiredState);

export const dispositionToWire = (disposition: Disposition): AdviceReconciliationDisposition =>
  AdviceReconciliationDisposition[disposition];
export const dispositionFromWire = reader<Disposition>(AdviceReconciliationDisposition);

export const reasonToWire = (reason: ReconciliationReason): AdviceReconciliationReason =>
  AdviceReconciliationReason[reason];
const namedReason = reader<Exclude<ReconciliationReason, "UNSPECIFIED">>(AdviceReconciliationReason);
/** The one enum whose UNSPECIFIED is an answer: nothing was done yet that needs a reason. */
export const reasonFromWire = (field: string, value: number): ReconciliationReason =>
  namedReason(field, value) ?? "UNSPECIFIED";

export const operationToWire = (operation: RecoveryOperation): WireOperation => WireOperation[operation];
export const operationFromWire = reader<RecoveryOperation>(WireOperation);

export const actionToWire = (action: SchedulerAction): RecoverySchedulerAction => RecoverySchedulerAction[action];
export const actionFromWire = reader<SchedulerAction>(RecoverySchedulerAction);

function reader<Name extends string>(names: Readonly<Record<Name | "UNSPECIFIED", number>>) {
  const byNumber = new Map(Object.entries<number>(names).map(([name, number]) => [number, name as Name]));
  return (field: string, value: number | undefined): Name | undefined => {
    if (value === undefined || value === names.UNSPECIFIED) return undefined;
    const name = byNumber.get(value);
    if (name === undefined) throw invalid(field, `${value} is not one of ${[...byNumber.values()].join(", ")}`);
    return name;
  };
}

/** The words of reprise.v1 that are strings on the wire. A new one does not compile until it is here. */
const causeClasses: Readonly<Record<CauseClass, true>> = {
  "hardware-node": true,
  "hardware-unnamed": true,
  "network-pair": true,
  scheduler: true,
  "time-limit": true,
  unexplained: true,
  "workload-transient": true,
  "workload-deterministic": true,
  "process-killed": true,
  numerics: true,
  "storage-shared": true,
  "storage-local": true,
  hang: true,
  slowdown: true,
  teardown: true,
  "never-retry": true,
};
const domains: Readonly<Record<Domain, true>> = {
  workload: true,
  hardware: true,
  network: true,
  storage: true,
  scheduler: true,
  unknown: true,
};
const issueKinds: Readonly<Record<Issue["kind"], true>> = {
  crash: true,
  hang: true,
  slowdown: true,
  numerics: true,
  progress: true,
  "checkpoint-saved": true,
  resumed: true,
  finished: true,
  exit: true,
};

export const causeClassFromWire = word(causeClasses);
export const domainFromWire = word(domains);
export const issueKindFromWire = word(issueKinds);

function word<Word extends string>(words: Readonly<Record<Word, true>>) {
  return (field: string, value: string): Word => {
    if (Object.hasOwn(words, value)) return value as Word;
    throw invalid(field, `${shown(value)} is not one of ${Object.keys(words).join(", ")}`);
  };
}
