/**
 * notice-store: the outbox of notices, and since when what they tell has been so. Part of the contract of the store (`store.ts`);
 * its suite is `store/contract/notice.contract.ts`.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Notice, NoticeKind } from "./notice/notice.ts";

/** A receiver, and how long after it was recorded a notice is due there. */
export interface Addressee {
  readonly name: string;
  readonly kinds: readonly NoticeKind[];
  readonly groupForMs: number;
}

export interface NoticeClaim {
  readonly receiver: string;
  readonly kinds: readonly NoticeKind[];
  readonly limit: number;
  /** Nobody else gets them for so long. */
  readonly claimMs: number;
}

export interface ClaimedNotice {
  readonly notice: Notice;
  readonly recordedAt: Instant;
  /** Sendings that failed, or of which nobody knows the end. */
  readonly tries: number;
}

export type Sending =
  | { readonly kind: "taken" }
  | { readonly kind: "given-up"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string; readonly againAt: Instant };

export interface NoticeStore {
  /**
   * These and no others are so now in the cluster. @returns Since when each has been without a break, by this call; what is not
   * named any more has ended, and begins anew when it comes back. One transaction.
   */
  holdConditions(cluster: string, conditions: readonly string[], now: Instant): Promise<ReadonlyMap<string, Instant>>;
  /**
   * Those whose key is not known, and one row for each addressee of their kind, in one transaction. A known one is not addressed to
   * anybody again. What is older than 30 days goes. @returns How many were new.
   */
  recordNotices(notices: readonly Notice[], addressees: readonly Addressee[], now: Instant): Promise<number>;
  /** When one is due there: the due ones, and those that were never tried with them. Oldest first. Claimed: each counts as a try. */
  claimNotices(claim: NoticeClaim, now: Instant): Promise<readonly ClaimedNotice[]>;
  settleNotices(receiver: string, keys: readonly string[], sending: Sending): Promise<void>;
}

export const noticeKeptMs = 30 * 24 * 3_600_000;
