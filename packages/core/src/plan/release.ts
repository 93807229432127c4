/**
 * release: what comes next for a job whose gates are open: the hold that its author submitted it with goes.
 *
 * In the loop   part of plan
 * Pure, total
 * Keeps         invariant 10: once a job was let go, a hold that it carries is its owner's, and stays; an administrator's stays always.
 *               A slurmctld that crashes may bring the author's hold back. That of before a release and one of after it look alike: what
 *               tells them apart is whether slurmctld was started anew before it can have saved the release.
 * Source        design §7, §8; docs/decisions/0024, 0040, 0057.
 */
import { isLed } from "../fact/heterogeneous.ts";
import { readSlurmState } from "../fact/slurm-state.ts";
import { limits } from "../limits.ts";
import type { Instant, SlurmJob } from "../nouns.ts";
import { abandon, type Known, markerOf, mayHaveActed, type Plan, satisfied, showsFrom, wait } from "./step.ts";
import type { JournalStep, Marker, Work } from "./work.ts";

/**
 * @param viewAt When the view was begun.
 * @param why    What is said of the release itself.
 */
export function planRelease(
  work: Work,
  job: SlurmJob,
  ahead: number,
  viewAt: Instant,
  known: Known,
  now: Instant,
  why = "every gate is open; the author's hold goes",
): Plan {
  if (ahead === 1) return abandon("SUPERSEDED", "the job has run already, and was requeued");
  if (job.state === "CANCELLED") return abandon("JOB_ENDED", "the job was cancelled");
  if (readSlurmState(job.state).phase !== "pending" || job.priority !== 0) return letGo(work, job, viewAt, known, now);

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

/**
 * Not held: that is what was wanted. Whoever holds it from now on means it, so it is noted in the job, once Slurm has saved that it was let go:
 * a note in the record of before would say so of its author's hold.
 */
function letGo(work: Work, job: SlurmJob, viewAt: Instant, known: Known, now: Instant): Plan {
  const isPending = readSlurmState(job.state).phase === "pending";
  const released = known.steps.findLast(mayHaveReleased);
  const isSaved = released !== undefined && viewAt >= showsFrom(released) + limits.settleMs;
  if (isPending && isSaved && known.marker.writable && !isMarked(work, known) && !isNoted(known.steps)) {
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

/** Since the last release: the job was seen let go when Slurm had saved that. */
function isNoted(steps: readonly JournalStep[]): boolean {
  const released = steps.findLastIndex(mayHaveReleased);
  return released >= 0 && steps.slice(released + 1).some((s) => s.action === "mark");
}

/**
 * The hold is its owner's, unless slurmctld was started anew since, and nobody saw the job let go until it was saved: then the release was lost, and
 * is made again. Where nothing can be noted, or slurmctld does not say when it was started, it is its owner's, in doubt.
 */
function isHeldAgain(work: Work, known: Known): boolean {
  const released = known.steps.filter((s) => isRelease(s) && s.outcome === "done");
  if (released.length >= releasesMax) return true;
  // Slurm's own hold says so itself, and another launch that fails is another attempt.
  if (work.isOfLaunch === true) return false;
  if (isMarked(work, known)) return true;
  const last = released.at(-1);
  if (last === undefined) return false;
  const isAnother = last.bootedAt !== undefined && known.bootedAt !== undefined && last.bootedAt !== known.bootedAt;
  return !isAnother || !known.marker.writable || isNoted(known.steps);
}

/** Done releases of one job that Slurm has not kept. */
const releasesMax = 3;

const isRelease = (s: JournalStep) => s.action === "release";
const mayHaveReleased = (s: JournalStep) => isRelease(s) && mayHaveActed(s);
