/** slurm-instant: a time in what Slurm showed of an attempt (`schedulerMetadata.slurm`), as whoever published it wrote it. Pure, total. */
import type { Instant } from "../nouns.ts";

/** @param value Milliseconds, or RFC 3339. 0 and nonsense are "not known". */
export function slurmInstant(value: unknown): Instant | undefined {
  const at = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) && at > 0 ? at : undefined;
}
