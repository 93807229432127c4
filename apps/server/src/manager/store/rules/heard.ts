/**
 * heard: from when the age of a look at Slurm counts.
 *
 * Pure, total
 * Keeps   no clock of another host is compared with ours. A look may have waited in the network, or been sent again: it is no younger
 *         than its reporter knows, and heard just now does not make it new.
 * Source  docs/decisions/0048
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { PassReport } from "../../store.ts";

/** @param now When the report was heard. @returns When its look was taken at the earliest, by the server's clock. */
export function heardAtOf({ takenAfter }: Pick<PassReport, "takenAfter">, now: Instant): Instant {
  return Math.min(takenAfter ?? now, now); // Another replica's clock may be ahead, or ours was set back since.
}
