/** slurm-values: single values of what Slurm showed of an attempt (`Target.slurm`). Pure, total. */
import type { JsonObject } from "@reprise/core/nouns.ts";

/** @returns undefined for what is not there or is empty. */
export function textIn(slurm: JsonObject, key: string): string | undefined {
  const value = slurm[key];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
