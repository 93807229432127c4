/** select-evidence: how entries of the ledger are read. */
import type { LedgerEntry } from "@reprise/core/evidence/node-evidence.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Db } from "./schema.ts";

export async function loadEvidence(db: Db, cluster: string, now: Instant): Promise<readonly LedgerEntry[]> {
  return await selectEntries(db)
    .where("node_evidence.cluster", "=", cluster)
    .where("node_evidence.expires_at", ">", now)
    .orderBy("node_evidence.at", "desc")
    .orderBy("node_evidence.heimdall_job_id")
    .orderBy("node_evidence.node")
    .limit(limits.ledgerEntriesMax)
    .execute();
}

export function selectEntries(db: Db) {
  return db
    .selectFrom("node_evidence")
    .innerJoin("job", "job.heimdall_job_id", "node_evidence.heimdall_job_id")
    .select([
      "node_evidence.node",
      "node_evidence.cause",
      "node_evidence.cause_class as causeClass",
      "node_evidence.domain",
      "node_evidence.at",
      "node_evidence.confidence",
      "node_evidence.expires_at as expiresAt",
      "node_evidence.counts",
      "node_evidence.evidence",
      "node_evidence.nodes_at_risk as nodesAtRisk",
      "job.heimdall_job_id as heimdallJobId",
      "job.job_id as jobId",
      "job.attempt_index as attemptIndex",
      "job.incarnation",
    ]);
}
