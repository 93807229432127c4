/**
 * coverage-of: which of the places that may hold a policy counts for a report.
 *
 * In the loop   report about an attempt → **coverageOf** → AttemptRecord.coverage, fixed at first sight
 * Takes         a report: its comment stands at `schedulerMetadata.recovery.comment`, where SAC puts it.
 * Gives         the comment's answer when it is meant as a policy, also when that is broken; else the recoveryConfig's; else the
 *               comment's reason why it is none.
 * Pure, total
 * Keeps         a broken comment is never repaired by what somebody else reported (invariant 7).
 */
import type { Coverage, JsonObject } from "../nouns.ts";
import { readRecoveryConfig, type AdditionalProperties } from "./from-recovery-config.ts";
import type { PolicyReading } from "./read-policy.ts";
import { readComment, type Server } from "./recovery-comment.ts";

/** The parts of a report that may hold a policy. */
export interface ReportedPolicy {
  readonly schedulerMetadata?: JsonObject | undefined;
  readonly recoveryConfig?: JsonObject | undefined;
  readonly additionalProperties?: AdditionalProperties | undefined;
}

export function coverageOf(report: ReportedPolicy, server: Server = {}): Coverage {
  const recovery = report.schedulerMetadata?.["recovery"] as { readonly comment?: unknown } | null | undefined;
  const comment = recovery?.comment;
  return readSources({ ...report, comment: typeof comment === "string" ? comment : undefined }, server).coverage;
}

export interface PolicySources extends Omit<ReportedPolicy, "schedulerMetadata"> {
  readonly comment?: string | undefined;
}

export type Origin = "comment" | "recoveryConfig" | "default";

export function readSources(sources: PolicySources, server: Server): PolicyReading & { readonly origin: Origin } {
  const { comment = "", recoveryConfig, additionalProperties = {} } = sources;
  const fromComment = readComment(comment, server);
  if (fromComment.isMeantAsPolicy || recoveryConfig === undefined) return { ...fromComment, origin: "comment" };
  return { ...readRecoveryConfig(recoveryConfig, additionalProperties, server), origin: "recoveryConfig" };
}
