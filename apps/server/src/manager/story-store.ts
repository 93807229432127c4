/** story-store: the whole story of one job, for people. Part of the contract of the store (`store.ts`). */
import type { Override } from "@reprise/core/override/override.ts";
import type { Advice, AttemptRecord, Progress } from "@reprise/core/nouns.ts";
import type { LogPosition, StepRecord, StoredDecision, StoredSignal } from "./store.ts";

export interface AttemptStoryRecord {
  readonly attempt: AttemptRecord;
  readonly progress: Progress;
  readonly signals: readonly StoredSignal[];
  readonly decision?: StoredDecision;
  readonly advised?: StoredDecision; // What the newest Advice says.
  /** Every generation, oldest first. */
  readonly advice: readonly Advice[];
  /** What people ordered while this attempt was the newest, or about its Advice; oldest first. */
  readonly overrides: readonly Override[];
  readonly steps: readonly StepRecord[];
  /** Positions of its log files that could not be read whole when they were last looked at, by path. */
  readonly unread: readonly LogPosition[];
}

export interface StoryStore {
  /** All attempts of the newest incarnation, oldest first. Empty: nobody ever saw this job ID. */
  story(cluster: string, jobId: string): Promise<readonly AttemptStoryRecord[]>;
}
