/** graph-store: what the store tells of the jobs that wait for others. Part of its contract (`store.ts`). */
import type { GraphAttempt } from "@reprise/core/dag/graph.ts";
import type { Instant } from "@reprise/core/nouns.ts";

export interface GraphStore {
  /**
   * Every job that waits for others, and every attempt of the jobs that they name, as of one moment; in any order. Empty: nobody
   * waits. Attempts that only have a UUID are not in it.
   */
  loadGraph(): Promise<readonly GraphAttempt[]>;
  /** These attempts are undecided from now on. One that nobody published is passed over. */
  reconsider(heimdallJobIds: readonly string[], now: Instant): Promise<void>;
}
