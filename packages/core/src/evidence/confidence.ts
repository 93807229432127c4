/**
 * confidence: how sure a statement against a node is, and how sure several of them are together.
 *
 * Pure, total
 */
import { limits } from "../limits.ts";
import type { Instant } from "../nouns.ts";

/** How sure a line is of its node. */
export const confidenceOf = {
  /** It names broken hardware after which no program goes on. */
  fatal: 0.9,
  named: 0.6,
  /** Two attempts name the node for what one line does not prove. */
  repeated: 0.5,
  /** The silent rank, or a start that died without a word. */
  inferred: 0.4,
  /** One line that does not prove it: a suspect GPU, one end of a link. */
  suspect: 0.3,
} as const;

interface Weighed {
  readonly confidence: number;
  readonly at: Instant;
  readonly expiresAt: Instant;
}

/** Half of it is left after `limits.evidenceHalfLifeMs`, nothing after its end. */
export function decayed({ confidence, at, expiresAt }: Weighed, now: Instant): number {
  if (now >= expiresAt) return 0;
  return confidence * 2 ** (-Math.max(0, now - at) / limits.evidenceHalfLifeMs);
}

/** Sources that do not know of each other: each leaves the share of doubt that it has. Never quite sure. */
export function together(confidences: readonly number[]): number {
  const doubt = confidences.reduce((left, confidence) => left * (1 - confidence), 1);
  return Math.min(0.99, 1 - doubt);
}
