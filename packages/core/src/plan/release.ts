/**
 * release: what comes next for a job whose gates are open: the hold that its author submitted it with goes.
 *
 * In the loop   part of plan
 * Pure, total
 * Keeps         invariant 10: once a job was let go, a hold that it carries is its owner's, and stays; an administrator's stays always.
 *               A controller that is rolled back brings the author's hold back: AdminComment tells the two apart.
 * Source        design §7, §8; docs/decisions/0024, 0040.
 */
import { isLed } from "../fact/heterogeneous.ts";
import { readSlurmState } from "../fact/slurm-state.ts";
import type { Instant, SlurmJob } from "../nouns.ts";
import { abandon, type Known, markerOf, mayHaveActed, type Plan, satisfied, wait } from "./step.ts";
import type { JournalStep, Marker, Work } from "./work.ts";

/** @param why What is said of the release itself. */
export function planRelease(
  work: Work,
  job: SlurmJob,
  ahead: number,
  known: Known,
  now: Instant,
  why = "every gate is open; the author's hold goes",
): Plan {
  if (ahead === 1) return abandon("SUPERSEDED", "the job has run already, and was requeued");
  if (job.state === "CANCELLED") return abandon("JOB_ENDED", "the job was cancelled");
  if (readSlurmState(job.state).phase !== "pending" || job.priority !== 0) return letGo(work, job, known, now);

  if (work.withdrawn) return abandon("WITHDRAWN", "the Advice was withdrawn before the job was released");
  if (now >= work.expiresAt) return abandon("ADVICE_EXPIRED", "the Advice expired before the job was released");
  if (isLed(job))
    return abandon("ACTION_REFUSED", `a component of the heterogeneous job ${job.hetJobId ?? ""}, which leads it`);
  if (job.reason === "BadConstraints")
    return abandon("ACTION_REFUSED", "Slurm itself holds the job: it cannot be placed (BadConstraints)");
  const refused = known.steps.findLast(isRelease);
  if (refused?.outcome === "refused" && refused.generation === work.generation)
    return abandon("ACTION_REFUSED", `Slurm refused the release: ${refused.detail ?? "no reason given"}`);
  if (isHeldAgain(work, known)) return abandon("HELD_BY_OTHERS", "the job was held again after it had been released");
  const { holdReason } = known;
  if (holdReason === undefined) return { kind: "ask-hold", jobId: job.jobId };
  switch (holdReason) {
    case "unavailable":
      return wait("why the job is held could not be read");
    case "none":
      return wait("the job is held no more; the next look shows it");
    case "user":
      return { kind: "act", step: { kind: "release" }, job, why };
    case "admin":
    case "other":
      return abandon(
        "HELD_BY_OTHERS",
        `the job carries a hold that is not its author's (${job.reason})${ofSlurm(job)}`,
      );
  }
}

/** Slurm itself relabels the hold of a job that it has given up on. */
const ofSlurm = ({ dependency }: SlurmJob): string =>
  dependency?.includes("(failed)") === true ? `: Slurm makes it one when a dependency has failed (${dependency})` : "";

/** Not held: that is what was wanted. Whoever holds it from now on means it, so it is written down. */
function letGo(work: Work, job: SlurmJob, known: Known, now: Instant): Plan {
  const isPending = readSlurmState(job.state).phase === "pending";
  const released = known.steps.findLastIndex(mayHaveReleased);
  const isTold = isMarked(work, known) || known.steps.slice(released + 1).some((s) => s.action === "mark");
  if (isPending && released >= 0 && known.marker.writable && !isTold) {
    const marker = releasedMarker(work, now);
    return { kind: "act", step: { kind: "mark", marker }, job, why: "the job is let go; a later hold is its owner's" };
  }
  if (work.withdrawn) return abandon("WITHDRAWN", "the job is held no more");
  return satisfied("the job is not held");
}

/** Of its own: what is written of a hold of ours on a later attempt must not be taken for this, nor this for that. */
const releasedMarker = (work: Work, at: Instant): Marker => ({
  ...markerOf(work, "released", at),
  id: `release:${work.heimdallJobId}`,
});

const isMarked = (work: Work, { marker }: Known) => marker.value?.id === `release:${work.heimdallJobId}`;

/** A release that a controller lost is made again; where nothing could be written down it is not: in doubt it is the owner's hold. */
function isHeldAgain(work: Work, known: Known): boolean {
  if (isMarked(work, known)) return true;
  const released = known.steps.filter((s) => isRelease(s) && s.outcome === "done");
  if (released.length === 0) return false;
  const couldMark = known.steps.every((s) => s.action !== "mark" || s.outcome === "done" || s.outcome === "moved");
  return !known.marker.writable || !couldMark || released.length >= releasesMax;
}

/** Done releases of one job that Slurm has not kept. */
const releasesMax = 3;

const isRelease = (s: JournalStep) => s.action === "release";
const mayHaveReleased = (s: JournalStep) => isRelease(s) && mayHaveActed(s);
