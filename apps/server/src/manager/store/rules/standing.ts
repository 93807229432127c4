/**
 * standing: whether a pass over a cluster says how things are now, and whether its reporter says what may be done.
 *
 * Pure, total
 * Keeps   passes count in the order in which they were taken; a new holder of the lease begins a new order, since its clock is
 *         another one. While a lease is valid only its holder says what the mode is.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { PassReport } from "../../store.ts";

export interface Standing {
  /** The pass says how things are now. */
  readonly counts: boolean;
  readonly setsMode: boolean;
}

/** @param last The last pass that counted. @param lease As it stands for the cluster, valid or not. */
export function standingOf(
  { leaseTerm, takenAt }: Pick<PassReport, "leaseTerm" | "takenAt">,
  last: Pick<PassReport, "leaseTerm" | "takenAt"> | undefined,
  lease: { readonly term: number; readonly expiresAt: Instant } | undefined,
  now: Instant,
): Standing {
  const isOverruled = lease !== undefined && leaseTerm > 0 && leaseTerm < lease.term;
  const isInOrder = last === undefined || takenAt >= last.takenAt || leaseTerm > last.leaseTerm;
  const isLeased = lease !== undefined && lease.expiresAt > now && lease.term !== leaseTerm;
  return { counts: isInOrder && !isOverruled, setsMode: last === undefined || !isLeased };
}
