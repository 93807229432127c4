/**
 * verdict: what a person should do about a node, and why.
 *
 * In the loop   standing, node table → **verdict** → ListNodes
 * Pure, total
 */
import { limits } from "../limits.ts";
import type { Exclusion, Instant } from "../nouns.ts";
import type { NodeStanding } from "./ledger.ts";
import type { LedgerEntry } from "./node-evidence.ts";

/** The order in which they are told. */
export const verdicts = ["drain", "watch", "out", "clear"] as const;

export interface Verdict {
  readonly verdict: (typeof verdicts)[number];
  readonly why: string;
}

/**
 * @param standing    Absent: nothing is said against it.
 * @param isEligible  A job may be given it.
 * @param exclusions  That stand now.
 */
export function verdictOf(
  standing: NodeStanding | undefined,
  isEligible: boolean,
  exclusions: readonly Exclusion[],
  now: Instant,
): Verdict {
  const [newest] = standing?.entries ?? [];
  if (standing === undefined || newest === undefined) {
    const [first] = exclusions;
    return first === undefined
      ? { verdict: "clear", why: "nothing is said against it" }
      : { verdict: "watch", why: `avoided for ${first.reason}, of which no evidence is left` };
  }
  const broken = standing.entries.find((entry) => isBroken(entry, now));
  const why = standing.isAccused ? accusation(standing) : because(broken ?? newest, standing);
  if (!isEligible) return { verdict: "out", why };
  return { verdict: standing.isAccused || broken !== undefined ? "drain" : "watch", why };
}

/** Lately, and by itself it does not come back: a program may run into it at once. */
function isBroken({ causeClass, counts, at }: LedgerEntry, now: Instant): boolean {
  const isLate = at > now - limits.exclusionLifeMs;
  return isLate && counts && causeClass === "hardware-node";
}

function accusation({ failures, expected, chance }: NodeStanding): string {
  const percent = chance * 100 < 0.01 ? "under 0.01" : String(Math.round(chance * 10_000) / 100);
  return `${failures} failures, an equal share is ${Math.round(expected * 100) / 100}; by chance ${percent} %`;
}

function because({ cause, counts }: LedgerEntry, { failures }: NodeStanding): string {
  if (failures > 1) return `${cause}; ${failures} failures, which may be chance`;
  return counts ? `${cause}, once` : `${cause}; the job itself may be the reason`;
}
