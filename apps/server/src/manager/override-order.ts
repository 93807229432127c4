/**
 * override-order: an order of a person about the restarts of one job, as it is given and as it is answered; and who keeps it.
 *
 * Keeps   no order without its reason and the name of who gave it (docs/decisions/0025).
 */
import type { AttemptRecord, Instant } from "@reprise/core/nouns.ts";
import type { Override, OverrideAction } from "@reprise/core/override/override.ts";

export type OverrideTarget =
  /** The newest attempt of the newest job with that ID. */
  | { readonly cluster: string; readonly jobId: string }
  /** Of `withdraw`. */
  | { readonly heimdallJobId: string };

export interface Order {
  readonly action: OverrideAction;
  readonly reason: string;
  readonly by: string;
  /** Of `withdraw`: only if this generation still counts. */
  readonly generation?: number;
}

export interface Ordered {
  readonly attempt: AttemptRecord;
  readonly override: Override;
  /** What follows at once, and what will. A sentence or two for a person. */
  readonly effect: string;
}

export interface Overrides {
  /**
   * Records what a person orders, and withdraws at once what it contradicts, with its audit rows in one transaction; all attempts of
   * the job are decided again. `clear` forgets the orders before it. Refuses `not-found`, and `precondition` for an order that
   * nothing could follow from. Repeated, it is another order.
   */
  setOverride(target: OverrideTarget, order: Order, now: Instant): Promise<Ordered>;
  /** What `setOverride` would answer, or refuse, now. Records nothing. */
  previewOverride(target: OverrideTarget, order: Order, now: Instant): Promise<Ordered>;
}
