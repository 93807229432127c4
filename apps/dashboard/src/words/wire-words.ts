/** wire-words: the wire's names as words. Pure. */
import type { AdviceJson, JobJson } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";

const without = (prefix: string, value: string | undefined) =>
  value === undefined || !value.startsWith(prefix) ? (value ?? "") : value.slice(prefix.length);

export const stateWord = (state: string | undefined): string => without("JOB_STATUS_", state);
export const desiredWord = (advice: AdviceJson | undefined): string =>
  without("ADVICE_DESIRED_STATE_", advice?.desiredState);
export const dispositionWord = (advice: AdviceJson | undefined): string =>
  without("ADVICE_RECONCILIATION_DISPOSITION_", advice?.reconciliationStatus?.disposition);
export function reasonWord(advice: AdviceJson | undefined): string {
  const reason = without("ADVICE_RECONCILIATION_REASON_", advice?.reconciliationStatus?.reason);
  return reason === "UNSPECIFIED" ? "" : reason;
}

/** Slurm's own words about an attempt, as SAC passes them on. */
export interface SlurmWords {
  readonly partition?: string;
  readonly user?: string;
  readonly slurmState?: string;
  readonly reason?: string;
  readonly exitCode?: number;
  readonly signal?: number;
  readonly stdout?: string;
  readonly startTime?: number;
  readonly endTime?: number;
}

export const slurmOf = (job: JobJson | undefined): SlurmWords =>
  (job?.schedulerMetadata as { readonly slurm?: SlurmWords } | undefined)?.slurm ?? {};

/** What somebody wants to happen, as a sentence. */
export function adviceSentence(advice: AdviceJson): string {
  const exclusions = advice.nodeConstraints?.exclusions ?? [];
  const nodes = exclusions.length === 0 ? "" : ` without ${exclusions.join(", ")}`;
  switch (desiredWord(advice)) {
    case "RESTARTED":
      return `restart${nodes}`;
    case "TERMINATED":
      return "end it";
    case "RELEASED":
      return "release it";
    default:
      return desiredWord(advice).toLowerCase();
  }
}

/** Where it stands, in a word for `Standing`. Active: somebody should still carry it out, and may. */
export function adviceWord(advice: AdviceJson): string {
  if (dispositionWord(advice) !== "PENDING") return dispositionWord(advice);
  if (reasonWord(advice) === "OBSERVE_MODE") return "observed";
  return advice.active === true ? "active" : "past";
}

/** Where it stands, as a person says it. */
export function statusSentence(advice: AdviceJson): string {
  const reason = reasonWord(advice).toLowerCase().replaceAll("_", " ");
  switch (dispositionWord(advice)) {
    case "CONVERGED":
      return reason === "already satisfied" ? "done already" : "done, and confirmed by a second look";
    case "ABANDONED":
      return `given up: ${reason}`;
    default:
      if (reason === "observe mode") return "not carried out: observe mode";
      return advice.active === true ? "being carried out" : `not carried out${reason === "" ? "" : `: ${reason}`}`;
  }
}

/** What the word for it has not said yet. */
export const statusRest = (advice: AdviceJson): string =>
  statusSentence(advice).replace(/^(?:done|given up)[,:]? ?/, "");
