/** slurm-facts: what was published of an attempt in Slurm (`SlurmFacts`). */
import type { AttemptRecord } from "../nouns.ts";

/** Anybody may publish an attempt: what a value is, is for its reader to check. Empty: nothing was. */
export const slurmFactsOf = ({
  schedulerMetadata,
}: Pick<AttemptRecord, "schedulerMetadata">): Readonly<Record<string, unknown>> =>
  (schedulerMetadata["slurm"] ?? {}) as Readonly<Record<string, unknown>>;
