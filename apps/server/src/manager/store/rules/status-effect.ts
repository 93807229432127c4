/**
 * status-effect: whether what SAC observed changes where an Advice stands.
 *
 * Pure
 * Keeps   PENDING → CONVERGED or ABANDONED, and never back; a report about an older generation is history only.
 * Fails   `not-found` without Advice; `precondition` above the generation that counts.
 */
import type { Advice, ReconciliationStatus } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";

/** @returns The Advice as it stands, and whether the report changes it. */
export function effectOf(
  advice: Advice | undefined,
  status: ReconciliationStatus,
  heimdallJobId: string,
): { readonly advice: Advice; readonly isEffective: boolean } {
  if (advice === undefined)
    throw new Refusal("not-found", `heimdallJobId ${heimdallJobId}: there is no Advice about this attempt`);
  const { observedGeneration } = status;
  if (observedGeneration > advice.generation) {
    throw new Refusal(
      "precondition",
      `observedGeneration ${observedGeneration}: expected at most ${advice.generation}`,
    );
  }
  const isEffective =
    observedGeneration === advice.generation &&
    advice.status.disposition === "PENDING" &&
    !saysTheSame(advice.status, status);
  return { advice, isEffective };
}

/** The time of the look apart: seeing the same again is no news. */
export const saysTheSame = (a: ReconciliationStatus, b: ReconciliationStatus): boolean =>
  a.observedGeneration === b.observedGeneration &&
  a.disposition === b.disposition &&
  a.reason === b.reason &&
  a.message === b.message;
