/**
 * evidence-store: what the store keeps of nodes and of what is said against them; a part of the contract of `manager/store.ts`.
 *
 * Keeps   an attempt has one entry a node at most, and only what its newest facts say; the entry has the number of nodes that were at risk
 *         when it was first recorded.
 */
import type { Clearance } from "@reprise/core/evidence/clearance.ts";
import type { LedgerEntry, NodeEvidence } from "@reprise/core/evidence/node-evidence.ts";
import type { Advice, Instant } from "@reprise/core/nouns.ts";
import type { NodeRecord } from "./store.ts";

/** What one attempt says against nodes, by the facts numbered `factsSeq`: all of it, also when that is nothing any more. */
export interface Accusation {
  readonly heimdallJobId: string;
  readonly factsSeq: number;
  readonly entries: readonly NodeEvidence[];
}

export interface EvidenceStore {
  /**
   * One transaction, about attempts of one cluster. What an attempt said before is replaced; an attempt whose facts have changed since is
   * left as it is. Who has an open restart and may be concerned by something new (`store/rules/concerned.ts`) is decided about again.
   * Safe to repeat. Gives what `loadEvidence` gives then.
   */
  recordEvidence(cluster: string, accusations: readonly Accusation[], now: Instant): Promise<readonly LedgerEntry[]>;
  /** What has not expired, the newest first, at most `limits.ledgerEntriesMax`. */
  loadEvidence(cluster: string, now: Instant): Promise<readonly LedgerEntry[]>;
  /**
   * From `now` on what was said against this node before counts no more; the last word of several counts. Told in the audit trail. Safe to
   * repeat.
   * @returns How many entries counted until now.
   */
  clearNode(cluster: string, clearance: Omit<Clearance, "at">, now: Instant): Promise<number>;
  /** The nodes that were repaired while evidence of before could still be weighed, by name. */
  loadClearances(cluster: string, now: Instant): Promise<readonly Clearance[]>;
  /** By name. Empty: no pass has named any. */
  listNodes(cluster: string): Promise<readonly NodeRecord[]>;
  /** Advice whose newest generation keeps away from a node, not expired and not withdrawn; the newest first. */
  listExcluding(cluster: string, now: Instant, limit: number): Promise<readonly Advice[]>;
}
