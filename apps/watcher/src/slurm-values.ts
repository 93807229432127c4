/** slurm-values: single values of what Slurm showed of an attempt (`Target.slurm`). Pure, total. */
import type { JsonObject } from "@reprise/core/nouns.ts";

export function textIn(slurm: JsonObject, key: string): string | undefined {
  const value = slurm[key];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
