/** figures-store: what the store tells of recoveries, of what would have been one, and of the time of training jobs. Part of its contract (`store.ts`). */
import type { RunRecord } from "@reprise/core/figures/effective.ts";
import type { RecoveryRecord } from "@reprise/core/figures/recovery.ts";
import type { ShadowRecord } from "@reprise/core/figures/shadow.ts";
import type { Instant } from "@reprise/core/nouns.ts";

export interface FiguresWindow {
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
  readonly cluster?: string;
  /** Where the attempt ran; while it waits, one of those that it asks for. */
  readonly partition?: string;
  readonly workflowId?: string;
}

export interface FiguresRecords {
  /** Attempts about which a restart or an end was first advised in the window; not what gates advised, nor restarts after a clean end. */
  readonly recoveries: readonly RecoveryRecord[];
  /** Covered attempts that were known in it, and ran in it, or whose job waited in it for their start. */
  readonly runs: readonly RunRecord[];
}

export interface FiguresStore {
  /** Both as of one moment, by UUID; at most `limit` of each: as many mean that there may be more. */
  figuresIn(window: FiguresWindow, limit: number): Promise<FiguresRecords>;
  /** The recoveries alone: what is asked for every few seconds. */
  recoveriesIn(window: FiguresWindow, limit: number): Promise<readonly RecoveryRecord[]>;
  /**
   * Attempts about which a restart or an end was first advised in the window, which SAC only observed, and to which it did nothing: by
   * UUID, at most `limit`. Not what gates advised, nor restarts after a clean end.
   */
  shadowIn(window: FiguresWindow, limit: number): Promise<readonly ShadowRecord[]>;
}
