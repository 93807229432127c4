/**
 * pass-state: how a cluster was looked at last, and what its SAC may do, as the store keeps it.
 *
 * Keeps   two clocks apart: the reporter's orders its looks and dates what it saw; an age is only ever counted by the server's.
 */
import type { ModeReport } from "@reprise/core/mode/cluster-orders.ts";
import type { Instant } from "@reprise/core/nouns.ts";

/** Which Slurm it is, `25.11.7`, and how it stands: `tried`, `allowed`, `untried`. */
export interface SlurmRelease {
  readonly version: string;
  readonly standing: string;
}

/** The last pass over a cluster, and the last one that saw anything. */
export interface PassState {
  readonly cluster: string;
  readonly takenAt: Instant;
  readonly unavailable?: string;
  readonly completeAt?: Instant;
  /** The same two by the server's clock, at the earliest (`rules/heard.ts`): an age is counted from these. */
  readonly heardAt: Instant;
  readonly completeHeardAt?: Instant;
  readonly mode: string;
  readonly partitions: readonly string[];
  readonly slurm?: SlurmRelease;
  readonly sac?: ModeReport;
  /** Of the last report of whoever says what the mode is. Absent: it had none. */
  readonly reportId?: string;
}
