/** slurm-values: single values of what Slurm showed of an attempt (`Target.slurm`). Pure, total. */
import type { Instant, JsonObject } from "@reprise/core/nouns.ts";

export function textIn(slurm: JsonObject, key: string): string | undefined {
  const value = slurm[key];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** Milliseconds, or RFC 3339. 0 and nonsense are "not known". */
export function instantIn(slurm: JsonObject, key: string): Instant | undefined {
  const value = slurm[key];
  const at = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) && at > 0 ? at : undefined;
}
