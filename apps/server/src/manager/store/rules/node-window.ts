/**
 * node-window: which attempts a line of a node concerns.
 *
 * In the loop   lines of nodes, attempts → **windows** → targets
 * Pure, total
 * Keeps         only attempts that were on that node at the line's own time: one from before the attempt accuses nobody, nor does one
 *               from after its end; a little after it counts only where no other job had the node by then.
 */
import { slurmInstant } from "@reprise/core/fact/slurm-instant.ts";
import { limits } from "@reprise/core/limits.ts";
import type { AttemptRecord, Instant } from "@reprise/core/nouns.ts";
import type { NodeLine } from "@reprise/protocol/wire/node-line.ts";
import type { TargetLine } from "../../node-log-store.ts";
import { isFinal } from "../attempt/job-row.ts";

/** What is asked of an attempt. */
export type Resident = Pick<
  AttemptRecord,
  "heimdallJobId" | "nodes" | "status" | "startedAt" | "endedAt" | "schedulerMetadata"
>;

interface Stay {
  readonly from: Instant;
  /** Absent: it is there still. */
  readonly to?: Instant;
}

/** When an attempt was on its nodes. @returns undefined when it has never started, as far as anybody saw. */
export function stayOf({ status, startedAt, endedAt, schedulerMetadata }: Resident): Stay | undefined {
  const slurm = schedulerMetadata["slurm"] as { startTime?: unknown; endTime?: unknown } | undefined;
  if (startedAt === undefined) return undefined; // Slurm shows the expected start of a pending job as well.
  const from = slurmInstant(slurm?.startTime) ?? startedAt;
  if (!isFinal(status)) return { from };
  const to = slurmInstant(slurm?.endTime) ?? endedAt;
  return { from, ...(to === undefined ? {} : { to: Math.max(from, to) }) };
}

/** None of these lines concerns who ended before that. */
export const residentSince = (lines: readonly NodeLine[], now: Instant): Instant =>
  lines.reduce((earliest, { at }) => Math.min(earliest, at), now - limits.nodeLogLateMs) - limits.nodeLineSlackMs;

/** Whether the line may concern the attempt at all. */
export function mayConcern(attempt: Resident, { node, at }: NodeLine): boolean {
  const stay = stayOf(attempt);
  return (
    stay !== undefined &&
    attempt.nodes.includes(node) &&
    at >= stay.from + limits.nodeLineStartMs &&
    (stay.to === undefined || at <= stay.to + limits.nodeLineSlackMs)
  );
}

/**
 * @param lines      Of its nodes; more are left out.
 * @param neighbours Attempts of any kind that may have been on its nodes; itself may be among them.
 */
export function linesConcerning(
  attempt: Resident,
  lines: readonly NodeLine[],
  neighbours: readonly Resident[],
): readonly TargetLine[] {
  const to = stayOf(attempt)?.to ?? Number.POSITIVE_INFINITY;
  const others = neighbours.filter(({ heimdallJobId }) => heimdallJobId !== attempt.heimdallJobId);
  return lines
    .filter((line) => mayConcern(attempt, line))
    .map((line) => ({ ...line, isShared: others.some((other) => isOn(other, line)) }))
    .filter(({ at, isShared }) => at <= to || !isShared)
    .toSorted((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1))
    .slice(0, limits.nodeLinesPerTargetMax);
}

function isOn(other: Resident, { node, at }: NodeLine): boolean {
  const stay = stayOf(other);
  if (stay === undefined || !other.nodes.includes(node)) return false;
  return at >= stay.from && (stay.to === undefined || at <= stay.to);
}
