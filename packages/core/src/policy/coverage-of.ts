/**
 * coverage-of: which of the places that may hold a policy counts for a report.
 *
 * In the loop   report about an attempt → **coverageOf** → AttemptRecord.coverage, fixed at first sight
 * Takes         a report: its comment stands at `schedulerMetadata.recovery.comment`, where SAC puts it, and the partition, whose
 *               site policy fills in and caps, at `schedulerMetadata.slurm.partition`.
 * Gives         the comment's answer when it is meant as a policy, also when that is broken; else the recoveryConfig's; else the
 *               comment's reason why it is none.
 * Pure, total
 * Keeps         a broken comment is never repaired by what somebody else reported (invariant 7).
 */
import type { Coverage, JsonObject } from "../nouns.ts";
import { readRecoveryConfig, type AdditionalProperties } from "./from-recovery-config.ts";
import type { PolicyReading } from "./read-policy.ts";
import { type CommentReading, readComment, type Server } from "./recovery-comment.ts";
import { type SitePolicy, type SiteRules, siteRules } from "./site-policy.ts";

/** The parts of a report that may hold a policy. */
export interface ReportedPolicy {
  readonly schedulerMetadata?: JsonObject | undefined;
  readonly recoveryConfig?: JsonObject | undefined;
  readonly additionalProperties?: AdditionalProperties | undefined;
}

/** What of a server's settings a policy depends on. */
export interface PolicyServer extends Server {
  readonly sitePolicy?: SitePolicy | undefined;
}

export function coverageOf(report: ReportedPolicy, server: PolicyServer = {}): Coverage {
  return readSources(sourcesOf(report), server).coverage;
}

export interface PolicySources extends Omit<ReportedPolicy, "schedulerMetadata"> {
  readonly comment?: string | undefined;
  readonly partition?: string | undefined;
}

/** Where the sources stand in a report. */
export function sourcesOf({ schedulerMetadata, ...report }: ReportedPolicy): PolicySources {
  const recovery = schedulerMetadata?.["recovery"] as { readonly comment?: unknown } | null | undefined;
  const slurm = schedulerMetadata?.["slurm"] as { readonly partition?: unknown } | null | undefined;
  return { ...report, comment: textOf(recovery?.comment), partition: textOf(slurm?.partition) };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export type Origin = "comment" | "recoveryConfig" | "site default" | "site cap" | "default";

export interface SourcesReading extends PolicyReading {
  /** Where what was given stands. */
  readonly source: "comment" | "recoveryConfig";
  readonly site: SiteRules;
}

export function readSources(sources: PolicySources, server: PolicyServer): SourcesReading {
  const { comment = "", recoveryConfig, additionalProperties = {}, partition } = sources;
  const site = siteRules(server.sitePolicy, partition);
  const fromComment = readOnce(comment, partition, server, site);
  if (fromComment.isMeantAsPolicy || recoveryConfig === undefined) return { ...fromComment, source: "comment", site };
  return { ...readRecoveryConfig(recoveryConfig, additionalProperties, server, site), source: "recoveryConfig", site };
}

/** Of each server: its reading of a comment in a partition. Every attempt of a job, and every task of an array, has the same one. */
const readings = new WeakMap<PolicyServer, Map<string, CommentReading>>();
const [readingsMax, commentCharsMax] = [1_000, 4_096];

function readOnce(
  comment: string,
  partition: string | undefined,
  server: PolicyServer,
  site: SiteRules,
): CommentReading {
  const ofServer = readings.get(server) ?? new Map<string, CommentReading>();
  readings.set(server, ofServer);
  const key = `${partition ?? ""}\n${comment}`;
  const known = ofServer.get(key);
  if (known !== undefined) return known;
  const reading = readComment(comment, server, site);
  if (ofServer.size >= readingsMax) ofServer.clear();
  if (comment.length <= commentCharsMax) ofServer.set(key, reading);
  return reading;
}
