/**
 * job-report: a request about one attempt, completed with what only the server knows.
 *
 * In the loop   CreateOrUpdateJob, ReportPass → **JobReport** → store
 * Pure, total
 * Keeps         the reading of Slurm's state and of the policy is the same whoever reports (core's tables). What the record shows as
 *               the effective policy is what this server decides by, the site's own defaults and caps in it.
 */
import { readSlurmState } from "@reprise/core/fact/slurm-state.ts";
import type { Coverage, JmState, JobStatus, JsonObject } from "@reprise/core/nouns.ts";
import { coverageOf, sourcesOf } from "@reprise/core/policy/coverage-of.ts";
import { effectivePolicy } from "@reprise/core/policy/effective-policy.ts";
import { toRecoveryConfig } from "@reprise/core/policy/from-recovery-config.ts";
import type { SitePolicy } from "@reprise/core/policy/site-policy.ts";
import type { WireJobReport } from "@reprise/protocol/wire/job.ts";
import type { JobReport } from "./store.ts";

export interface Site {
  readonly environment?: string;
  readonly sitePolicy?: SitePolicy;
  /** The cluster that an unnamed job belongs to. */
  readonly cluster: string;
}

export function completeReport(report: WireJobReport, site: Site, cluster = report.cluster ?? site.cluster): JobReport {
  const jmState = jmStateOf(report);
  const coverage = coverageOf(report, site);
  const ofSite = site.sitePolicy === undefined ? {} : withSitePolicy(report, coverage, site);
  return { ...report, ...ofSite, cluster, ...(jmState === undefined ? {} : { jmState }), coverage };
}

/** SAC publishes the author's policy: it does not know what the site adds. */
function withSitePolicy(
  report: WireJobReport,
  coverage: Coverage,
  site: Site,
): Pick<WireJobReport, "schedulerMetadata" | "recoveryConfig"> {
  const recovery = report.schedulerMetadata?.["recovery"] as JsonObject | null | undefined;
  if (coverage.kind === "not-covered" || (recovery?.["policy"] ?? undefined) === undefined) return {};
  const policy = effectivePolicy(sourcesOf(report), site);
  if (policy === undefined) return {};
  // What is in the way of it in Slurm only SAC has seen.
  const told = Array.isArray(recovery?.["warnings"]) ? (recovery["warnings"] as readonly string[]) : [];
  const warnings = [...new Set([...coverage.warnings, ...told])];
  const shown = { ...recovery, ...(warnings.length === 0 ? {} : { warnings }), policy };
  const recoveryConfig =
    report.recoveryConfig === undefined ? {} : { recoveryConfig: toRecoveryConfig(coverage.policy) };
  return { schedulerMetadata: { ...report.schedulerMetadata, recovery: shown }, ...recoveryConfig };
}

/** Slurm's own word says more than the status; a status that contradicts it (attempt k while k+1 waits) wins. */
function jmStateOf({ status, schedulerMetadata }: WireJobReport): JmState | undefined {
  const word = (schedulerMetadata?.["slurm"] as { slurmState?: unknown } | undefined)?.slurmState;
  if (typeof word === "string") {
    const reading = readSlurmState(word);
    // COMPLETING without a status: which attempt is ending is not known.
    if (reading.phase === "unrecognised" || (reading.phase === "completing" && status === undefined)) return "UNKNOWN";
    if (status === undefined || reading.status === status) return reading.jmState;
  }
  return status === undefined ? undefined : ofStatus[status];
}

const ofStatus: Readonly<Record<JobStatus, JmState>> = {
  PENDING: "PENDING",
  RUNNING: "RUNNING",
  STOPPED: "REQUEUED",
  COMPLETED: "COMPLETED",
  FAILED: "FAILED",
  CANCELLED: "CANCELLED",
  DELETED: "UNKNOWN",
};
