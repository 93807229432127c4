/**
 * node-window: which attempts a line of a node concerns.
 *
 * In the loop   lines of nodes, attempts → **windows** → targets
 * Pure, total
 * Keeps         only attempts that were on that node at the line's own time: one from before the attempt accuses nobody, nor does one
 *               from after its end; a little after it counts only where no other job had the node by then. What Slurm lists was there
 *               until the last look at it: a line from after that look waits for the next one, which may show another job there.
 */
import { slurmInstant } from "@reprise/core/fact/slurm-instant.ts";
import { limits } from "@reprise/core/limits.ts";
import type { AttemptRecord, Instant } from "@reprise/core/nouns.ts";
import type { NodeLine } from "@reprise/protocol/wire/node-line.ts";
import type { TargetLine } from "../../node-log-store.ts";
import type { PassState } from "../../pass-state.ts";
import { isFinal } from "../attempt/job-row.ts";

/** What is asked of an attempt. */
export type Resident = Pick<
  AttemptRecord,
  "heimdallJobId" | "nodes" | "status" | "startedAt" | "endedAt" | "schedulerMetadata" | "lastSeenAt"
> & {
  /** Somebody looks at Slurm, and it was there. */
  readonly isListed: boolean;
};

/** By Slurm. */
interface Shown {
  readonly startTime?: unknown;
  readonly endTime?: unknown;
  readonly slurmState?: string;
}

interface Stay {
  readonly from: Instant;
  /** It was there until then. */
  readonly surelyTo: Instant;
  /** From then on it was not. */
  readonly atMostTo: Instant;
  /** Of what comes later nothing is its own. */
  readonly heardTo: Instant;
}

/** When an attempt was on its nodes. @returns undefined when it has never started, as far as anybody saw. */
export function stayOf({ isListed, lastSeenAt, ...attempt }: Resident): Stay | undefined {
  const { status, startedAt, endedAt, schedulerMetadata } = attempt;
  const slurm = schedulerMetadata["slurm"] as Shown | undefined;
  if (startedAt === undefined) return undefined; // Slurm shows the expected start of a pending job as well.
  const from = slurmInstant(slurm?.startTime) ?? startedAt;
  const stay = (surelyTo: Instant, atMostTo: Instant, heardTo: Instant): Stay => ({
    from,
    surelyTo,
    atMostTo,
    heardTo,
  });
  const open = Number.POSITIVE_INFINITY;
  const told = slurmInstant(slurm?.endTime);
  if (!isFinal(status)) {
    if (!isListed) return stay(open, open, open);
    // In a state that nobody can read it may have ended when Slurm says so: from then on it gives way to whoever else is there,
    // also to one who is not known yet.
    const endsAt = told ?? open;
    // One that is leaving has ended, and of one that was requeued nothing tells when.
    const surelyTo = slurm?.slurmState === "COMPLETING" && told === undefined ? from : Math.min(lastSeenAt, endsAt);
    return stay(surelyTo, open, Math.min(lastSeenAt, endsAt + limits.nodeLineSlackMs));
  }
  const to = Math.max(from, told ?? endedAt ?? open);
  if (told !== undefined) return stay(to, to, to + limits.nodeLineSlackMs);
  // Nobody saw the end. That of a requeued one is the requeue; of what has gone it is only when it was missed.
  const seenTo = Math.max(from, Math.min(to, lastSeenAt));
  return stay(seenTo, to, (status === "DELETED" ? seenTo : to) + limits.nodeLineSlackMs);
}

/** None of these lines concerns who ended before that. */
export const residentSince = (lines: readonly NodeLine[], now: Instant): Instant =>
  lines.reduce((earliest, { at }) => Math.min(earliest, at), now - limits.nodeLogLateMs) - limits.nodeLineSlackMs;

/** Whether the line may concern the attempt, as far as is known now. */
export function mayConcern(attempt: Resident, { node, at }: NodeLine): boolean {
  const stay = stayOf(attempt);
  return (
    stay !== undefined && attempt.nodes.includes(node) && at >= stay.from + limits.nodeLineStartMs && at <= stay.heardTo
  );
}

/** When all of Slurm was seen last: by the clock of who looked, and by ours. */
export type WholeLook = Pick<PassState, "completeAt" | "completeHeardAt">;

/** No line that waits for a look was taken in before that, by our clock: who looks may have one that is far from it, to either side. */
export const awaitedSince = ({ completeAt = 0, completeHeardAt = completeAt }: WholeLook): Instant =>
  Math.min(completeAt, completeHeardAt) - limits.nodeLogLateMs;

/**
 * Attempts that lines have waited for: a look at Slurm has them still.
 *
 * @param residents As they were known before it. @param takenAt When it was.
 */
export const awaitedBy = <T extends Resident>(
  lines: readonly NodeLine[],
  residents: readonly T[],
  takenAt: Instant,
): readonly T[] =>
  residents.filter((row) => {
    const isAwaited = (line: NodeLine) => !mayConcern(row, line) && mayConcern({ ...row, lastSeenAt: takenAt }, line);
    return row.isListed && !isFinal(row.status) && lines.some(isAwaited);
  });

/**
 * @param lines      Of its nodes; more are left out.
 * @param neighbours Attempts of any kind that may have been on its nodes; itself may be among them.
 */
export function linesConcerning(
  attempt: Resident,
  lines: readonly NodeLine[],
  neighbours: readonly Resident[],
): readonly TargetLine[] {
  const surelyTo = stayOf(attempt)?.surelyTo ?? Number.NEGATIVE_INFINITY;
  const others = neighbours.filter(({ heimdallJobId }) => heimdallJobId !== attempt.heimdallJobId);
  return lines
    .filter((line) => mayConcern(attempt, line))
    .map((line) => ({ ...line, isShared: others.some((other) => isOn(other, line)) }))
    .filter(({ at, isShared }) => at <= surelyTo || !isShared)
    .toSorted((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1))
    .slice(0, limits.nodeLinesPerTargetMax);
}

function isOn(other: Resident, { node, at }: NodeLine): boolean {
  const stay = stayOf(other);
  if (stay === undefined || !other.nodes.includes(node)) return false;
  return at >= stay.from && at <= stay.atMostTo;
}
