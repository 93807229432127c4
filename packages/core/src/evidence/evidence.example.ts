/** evidence.example: entries of the ledger, for tests to change in one way each. */
import type { Instant } from "../nouns.ts";
import { limits } from "../limits.ts";
import type { LedgerEntry } from "./node-evidence.ts";

/** Job `jobId` against `node`; no two entries of different jobs are one incident unless a test says so. */
export function against(node: string, jobId: string, at: Instant, change: Partial<LedgerEntry> = {}): LedgerEntry {
  const line = "NVRM: Xid (PCI:0000:4e:00): 74, NVLink error";
  return {
    node,
    cause: "xid-suspect",
    causeClass: "hardware-unnamed",
    domain: "hardware",
    at,
    confidence: 0.3,
    expiresAt: at + limits.evidenceLifeMs,
    counts: true,
    evidence: { source: "log", line, path: `/logs/${jobId}.out`, offset: 7, at },
    heimdallJobId: `00000000-0000-5000-8000-${jobId.padStart(12, "0")}`,
    jobId,
    attemptIndex: 0,
    incarnation: 0,
    nodesAtRisk: 100,
    ...change,
  };
}
