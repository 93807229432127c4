/**
 * advice: Advice and its reconciliation status on the wire.
 *
 * In the loop   store → **Advice** → SAC, people; SAC → **AdviceReconciliationStatus** → store
 * Pure          `…ToWire` is total; `statusFromWire` refuses with its field named.
 */
import { create } from "@bufbuild/protobuf";
import { type Advice, type Instant, isActive, type Issue, type ReconciliationStatus } from "@reprise/core/nouns.ts";
import {
  type AdviceReconciliationStatus,
  AdviceReconciliationStatusSchema,
  AdviceSchema,
  type Advice as WireAdvice,
} from "../gen/heimdall/v1/heimdall_pb.ts";
import { freeText, invalid, wholeNumber } from "./check.ts";
import { desiredStateToWire, dispositionFromWire, dispositionToWire, reasonFromWire, reasonToWire } from "./enums.ts";
import { evidenceToWire } from "./evidence.ts";
import { instantFromWire, instantToWire } from "./instant.ts";

/** @param now Whether it is `active` depends on it. */
export function adviceToWire(advice: Advice, now: Instant): WireAdvice {
  return create(AdviceSchema, {
    heimdallJobId: advice.heimdallJobId,
    jobId: advice.jobId,
    attemptIndex: advice.attemptIndex,
    workflowId: advice.workflowId,
    desiredState: desiredStateToWire(advice.desired),
    nodeConstraints: { exclusions: advice.exclusions.map(({ node }) => node) },
    issues: advice.issues.map(issueToWire),
    because: advice.because,
    generation: BigInt(advice.generation),
    reconciliationStatus: statusToWire(advice.status),
    createdAt: instantToWire(advice.createdAt),
    updatedAt: instantToWire(advice.updatedAt),
    expiresAt: instantToWire(advice.expiresAt),
    active: isActive(advice, now),
  });
}

const issueToWire = (issue: Issue) => ({
  kind: issue.kind,
  domain: issue.domain,
  summary: issue.summary,
  nodes: [...issue.nodes],
  evidence: issue.evidence.map(evidenceToWire),
  detectedAt: instantToWire(issue.detectedAt),
});

export function statusToWire(status: ReconciliationStatus): AdviceReconciliationStatus {
  return create(AdviceReconciliationStatusSchema, {
    observedGeneration: BigInt(status.observedGeneration),
    disposition: dispositionToWire(status.disposition),
    reason: reasonToWire(status.reason),
    message: status.message,
    observedAt: instantToWire(status.observedAt),
  });
}

/** @param now Stands in for an absent `observedAt`. */
export function statusFromWire(status: AdviceReconciliationStatus | undefined, now: Instant): ReconciliationStatus {
  const observedGeneration = status?.observedGeneration;
  if (status === undefined || observedGeneration === undefined) throw invalid("observedGeneration", "is required");
  const disposition = dispositionFromWire("disposition", status.disposition);
  if (disposition === undefined) throw invalid("disposition", "is required; expected PENDING, CONVERGED or ABANDONED");
  return {
    observedGeneration: wholeNumber("observedGeneration", observedGeneration),
    disposition,
    reason: reasonFromWire("reason", status.reason),
    message: freeText(status.message),
    observedAt: status.observedAt === undefined ? now : instantFromWire("observedAt", status.observedAt),
  };
}
