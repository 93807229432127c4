/**
 * ending: what stopped the recovery of an attempt, or keeps it from beginning, and what people can do about it.
 *
 * In the loop   Decision, Advice → **ending** → Explain
 * Pure, total   undefined: nothing stopped it.
 * Keeps         invariant 9: a stop has the name of its bound; and its reader is told what is his to do.
 */
import type { Decision } from "../decide/decision.ts";
import type { Advice, Coverage, ReconciliationReason } from "../nouns.ts";
import { forbidden, takenBack } from "../override/override.ts";

export interface Ending {
  /** A bound, a class of cause, a rule, or the reason for which Advice was given up. */
  readonly stoppedBy: string;
  readonly whatToDo: string;
}

/**
 * @param decision  The newest one about the attempt.
 * @param advice    The newest generation.
 * @param job       Its ID, for the commands that are named.
 */
export function endingOf(
  coverage: Coverage,
  decision: Decision | undefined,
  advice: Advice | undefined,
  job: string,
): Ending | undefined {
  if (coverage.kind === "not-covered") return { stoppedBy: "not-covered", whatToDo: byRule["not-covered"] ?? "" };
  if (decision === undefined) return undefined;
  const { because } = decision;
  const ending = (stoppedBy: string, text: string | undefined) =>
    text === undefined ? undefined : { stoppedBy, whatToDo: text.replaceAll("JOB", job) };

  // Who was cancelled by us was ended for what we said then.
  if (because === "cancelled" && advice?.desired === "TERMINATED" && advice.status.disposition === "CONVERGED")
    return ending(advice.because, byBound(advice.because));
  if (decision.kind === "none" && byRule[because] !== undefined) return ending(because, byRule[because]);
  if (because === "overtaken" || because === "requeued-by-others" || because === "completed") return undefined;
  const standing = advice?.withdrawnAt === undefined ? advice : undefined;
  if (standing?.status.disposition === "ABANDONED" || standing?.status.reason === "OBSERVE_MODE")
    return ending(standing.status.reason, byReason[standing.status.reason]);
  if (decision.kind === "advise")
    return decision.desired === "TERMINATED" ? ending(because, byBound(because)) : undefined;
  return standing?.desired === "TERMINATED" ? ending(standing.because, byBound(standing.because)) : undefined;
}

const onceMore = "`reprise jobs override JOB restart --reason …` gives it one more try now.";

/** Rules that leave an attempt alone, although somebody may have expected otherwise. */
const byRule: Readonly<Record<string, string>> = {
  "not-covered": "Correct the recovery comment; it counts from the next attempt on.",
  off: 'The author set auto_resume_mode to "off", which beats everything. Submit with "requeue" to have it recovered.',
  [forbidden]: "`reprise jobs override JOB clear --reason …` lets the rules decide again.",
  [takenBack]: "`reprise jobs override JOB clear --reason …` lets the rules decide again.",
  "launch-limit":
    "`sinfo -R` says which node's prolog fails. `scontrol release JOB` lets the job go; it counts anew for Slurm then.",
  "launch-failed-again":
    "`sinfo -R` says which nodes' prologs fail. Mend them; then `scontrol release JOB` lets the job go.",
  cancelled: "It was ended on purpose. Submit it again to go on from its newest checkpoint.",
  "not-in-scheduler": "Slurm has forgotten the job. Submit it again to go on from its newest checkpoint.",
  "scheduler-unseen": "Nothing is done while Slurm cannot be read. `reprise doctor` on SAC's host says what is wrong.",
};

const bounds: Readonly<Record<string, string>> = {
  max_requeue_times: `Read the root line of each attempt. A higher max_requeue_times in the comment counts from the next attempt on. ${onceMore}`,
  restart_once: `The same error came back without a new training step between: it is the program's or its data's. Mend it, and submit it again. ${onceMore}`,
  max_failures_without_progress: `The training gets no further than before. Mend what the root line names, or save checkpoints more often, and submit it again. ${onceMore}`,
  "uncharged restarts": `The cluster has failed this job very often, and nobody charged it. Speak with its operators. ${onceMore}`,
  max_recovery_hours: `The time that the author allowed for recovery is over. A higher max_recovery_hours counts from the next attempt on. ${onceMore}`,
  "storage-shared": `Free space on the volume that the root line names; every restart would fail in the same way. Then: ${onceMore}`,
  "never-retry": `The program asks not to be restarted. Mend what the root line names, and submit it again. ${onceMore}`,
  "dag-never": "A job that it waits for has ended otherwise, for good. Mend that one, and submit both again.",
  "nvrx-exit-93": `NVRx asks not to restart. Its own log says why. ${onceMore}`,
};

/** `max_failures_without_progress (any root)` is a form of the bound before the bracket. */
export const boundOf = (bound: string): string => bound.replace(/ \(.*\)$/, "");
const byBound = (bound: string): string =>
  bounds[bound] ?? bounds[boundOf(bound)] ?? `Read the root line, and mend what it names. ${onceMore}`;

const byReason: Partial<Readonly<Record<ReconciliationReason, string>>> = {
  ADVICE_EXPIRED: `Nobody carried it out in time. Is SAC running, and in act mode? ${onceMore}`,
  TARGET_GONE:
    "Slurm no longer knows it. If the whole job is gone, submit it again to go on from its newest checkpoint.",
  JOB_ENDED: "The job was ended by somebody else meanwhile. Submit it again if it should go on.",
  ACTION_REFUSED: "Slurm will not requeue it (its words are above). Submit with `--requeue`, as a batch job.",
  OBSERVE_MODE:
    "Recovery may not act here now; why is said above (observe mode, a partition, the kill switch). An operator can allow it.",
  HELD_BY_OTHERS: "Somebody else holds the job. Ask them, or release it: `scontrol release JOB`.",
  STARTED_UNCONSTRAINED: "It runs, but on nodes that it was to keep away from. Requeue it if that matters.",
  RELEASED_BY_WATCHDOG: "Recovery was away, and the watchdog let the job go as it was. Look at SAC's log.",
};

/** What an end is counted under; other codes of rules may come, and are few. */
export const namedStops: readonly string[] = [...Object.keys(bounds), ...Object.keys(byReason)];
