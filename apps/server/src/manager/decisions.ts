/**
 * decisions: what the store does for the decide loop, a batch of attempts at a time. Part of its contract (`store.ts`).
 *
 * In the loop   facts → **claim, load** → fold → decide → **record** → Advice
 * Keeps         each decision is fenced by the facts that it was made from; that one is stale says nothing about the others.
 * Fails         whole: a batch that throws has written nothing, and may be given again, whole or in parts.
 */
import type { Decision } from "@reprise/core/decide/decision.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { AttemptFacts } from "./store.ts";

/** What was decided about one attempt. */
export interface Decided {
  readonly heimdallJobId: string;
  /** Of the facts that it was decided from. */
  readonly factsSeq: number;
  readonly decision: Decision;
}

export type Recorded =
  | { readonly kind: "recorded"; readonly generation: number }
  | { readonly kind: "unchanged" }
  /** The attempt's facts changed, or its successor started, since they were read: decide again. */
  | { readonly kind: "stale" };

export interface Decisions {
  /**
   * Attempts whose facts changed since they were last decided, or whose `reconsiderAt` has come. Claimed for
   * `claimMs`, so that replicas do not decide the same one at the same time.
   */
  claimUndecided(limit: number, claimMs: number, now: Instant): Promise<readonly string[]>;
  /** Of those that are known, in the order in which they were asked for: one snapshot of all. */
  loadFacts(heimdallJobIds: readonly string[], now: Instant): Promise<readonly AttemptFacts[]>;
  /**
   * Records what was decided, in one transaction, and answers for each. A decision that changes the outcome (design §6) is a new
   * generation, with its audit row; withdrawing is one too. `none` records only why. No attempt may be in it twice.
   */
  recordDecisions(decided: readonly Decided[], now: Instant): Promise<readonly Recorded[]>;
}
