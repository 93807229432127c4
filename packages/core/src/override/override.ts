/**
 * override: what people have ordered about one job, and which of it stands for one attempt.
 *
 * In the loop   orders → **standing** → Situation → decide
 * Takes         the orders about the attempts of one job since they were last cleared, oldest first.
 * Pure, total
 * Keeps         the last word counts. `never` is about the job; `restart` and `withdraw` are about one attempt, and a restart is
 *               given once.
 * Source        docs/decisions/0025.
 */
import { limits } from "../limits.ts";
import type { Instant } from "../nouns.ts";

export type OverrideAction =
  /** Recovery restarts this job no more. */
  | "never"
  /** The attempt is restarted now, whatever its cause and its budgets. */
  | "restart"
  /** What was ordered before is over; the rules decide again. */
  | "clear"
  /** The Advice about this attempt is taken back, and no other one is given. */
  | "withdraw";

export interface Override {
  readonly action: OverrideAction;
  /** `withdraw`: the attempt whose Advice it was; else the newest attempt at that time. */
  readonly attemptIndex: number;
  /** A person's own words. */
  readonly reason: string;
  /** Who was signed in. */
  readonly by: string;
  readonly at: Instant;
  /** A restart: the generation of the Advice that it became. */
  readonly generation?: number;
}

/** What stands for one attempt. At most one of `never` and `restart`. */
export interface Orders {
  readonly never?: Override;
  readonly restart?: Override;
  readonly withdrawn?: Override;
}

/** The codes of what a person decided, as they stand in decisions and in Advice. */
export const forbidden = "override-never";
export const takenBack = "override-withdrawn";
export const ordered = "override-restart";

export function standingFor(attemptIndex: number, overrides: readonly Override[], now: Instant): Orders {
  let orders: Orders = {};
  for (const override of overrides) orders = after(orders, override, attemptIndex);
  const { restart, ...others } = orders;
  const isOld = restart?.generation === undefined && now >= (restart?.at ?? 0) + limits.restartOrderLifeMs;
  return isOld ? others : orders;
}

function after(orders: Orders, override: Override, attemptIndex: number): Orders {
  const { never: _, restart: __, ...others } = orders;
  const { never } = orders;
  const isAboutThis = override.attemptIndex === attemptIndex;
  switch (override.action) {
    case "never":
      return { ...others, never: override };
    case "restart":
      return isAboutThis ? { restart: override } : others;
    case "withdraw":
      return isAboutThis ? { ...(never === undefined ? {} : { never }), withdrawn: override } : orders;
    case "clear":
      return {};
  }
}
