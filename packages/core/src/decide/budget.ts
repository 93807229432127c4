/**
 * budget: what is left of the retries that a policy allows, computed from the records; never a stored counter.
 *
 * In the loop   Situation, Cause → **budgets** → decide
 * Pure, total   the same records give the same budgets on every replica and after every restart.
 * Keeps         invariant 9: retries end by count and by progress, and the bound that ends them has a name.
 * Source        design §5, §6.
 */
import { limits } from "../limits.ts";
import type { Advice, Domain, Instant, Policy } from "../nouns.ts";
import type { EarlierFacts, Situation } from "../situation/situation.ts";
import { isSilence } from "../situation/silence.ts";
import { causeClasses } from "./cause-class.ts";
import type { Cause } from "./cause.ts";
import type { Budget } from "./decision.ts";
import { madeProgress } from "./headway.ts";
import { inJobRestarts } from "./in-job.ts";
import { withoutPlace } from "./root-key.ts";

/** A different root every time is still a job that gets nowhere: so many times the limit for one root. */
const anyRootFactor = 2;

export interface Budgets {
  readonly list: readonly Budget[];
  /** The first bound that is used up; undefined: one more restart is allowed. */
  readonly exhausted: Budget | undefined;
  /** Failures of the same root in a row without progress between them, before this one. */
  readonly repeats: number;
}

export function budgetsOf(s: Situation, cause: Cause, policy: Policy, now: Instant): Budgets {
  const ours = s.earlier.flatMap((e) => (e.advice !== undefined && wasCarriedOut(e, e.advice) ? [e.advice] : []));
  const charged = ours.filter((a) => a.charged).length;
  const stuck = failuresWithoutProgress(s);
  const repeats = sameRootInARow(stuck, (key) => key === cause.rootKey);
  const moved = sameRootInARow(stuck, (key) => withoutPlace(key) === withoutPlace(cause.rootKey));
  // A launcher that comes back to the same broken GPU says nothing about the program.
  const inJob = causeClasses[cause.causeClass].charged ? Math.max(0, inJobRestarts(s).sameEnds - 1) : 0;
  // Twice silent at the same step, with nothing new saved between: a third time would be silent too.
  const oncePerRoot = causeClasses[cause.causeClass].restart === "once" || isSilence({ ...cause, cause: cause.name });

  const list: Budget[] = [
    { bound: "max_requeue_times", spent: charged, allowed: policy.maxRequeueTimes },
    {
      bound: oncePerRoot ? "restart_once" : "max_failures_without_progress",
      spent: repeats + inJob + 1,
      // This failure is counted too: the third of three ends it; for a program's own error the second does.
      allowed: oncePerRoot ? Math.min(2, policy.maxFailuresWithoutProgress) : policy.maxFailuresWithoutProgress,
    },
    ...(cause.kind === "numerics"
      ? [
          {
            bound: "max_failures_without_progress (wherever it happens)",
            spent: moved + inJob + 1,
            allowed: policy.maxFailuresWithoutProgress,
          },
        ]
      : []),
    {
      bound: "max_failures_without_progress (any root)",
      spent: stuck.length + 1,
      allowed: policy.maxFailuresWithoutProgress * anyRootFactor,
    },
  ];
  if (policy.charge === "workload") {
    list.push({ bound: "uncharged restarts", spent: ours.length - charged, allowed: limits.unchargedRestartsMax });
  }
  const since = stuck[0]?.attempt.endedAt;
  if (policy.maxRecoveryHours !== undefined && since !== undefined) {
    list.push({ bound: "max_recovery_hours", spent: (now - since) / 3_600_000, allowed: policy.maxRecoveryHours });
  }
  const wouldCharge = isCharged(cause, policy);
  const exhausted = list.find(
    (b) =>
      b.spent >= b.allowed &&
      (b.bound !== "max_requeue_times" || wouldCharge) &&
      (b.bound !== "uncharged restarts" || !wouldCharge),
  );
  return { list, exhausted, repeats };
}

/** Whose faults are not the author's, whatever class of error they look like. */
const ofOthers: ReadonlySet<Domain> = new Set(["hardware", "network", "scheduler"]);

export function isCharged(cause: Cause, policy: Policy): boolean {
  return policy.charge === "all" || (causeClasses[cause.causeClass].charged && !ofOthers.has(cause.domain));
}

/**
 * A restart that recovery made, or is making. What Slurm or the owner restarted by themselves is not ours. A requeue of ours
 * counts whatever became of its Advice: a successor that fails before the second look leaves it SUPERSEDED, and a line that was read
 * late may have ended, in a later generation, what was requeued already.
 */
function wasCarriedOut({ requeuedByUs }: EarlierFacts, { desired, status }: Advice): boolean {
  if (requeuedByUs === true) return true;
  if (desired !== "RESTARTED") return false;
  if (status.reason === "ALREADY_SATISFIED") return false;
  if (status.disposition !== "ABANDONED") return status.reason !== "OBSERVE_MODE";
  return mayBeOurs.has(status.reason);
}

/**
 * HELD_BY_OTHERS: the successor was found held, and nobody claims it. It may be the requeue of a SAC that died before it could
 * report it: then another SAC does not know the hold. Retries must end, so in doubt it counts.
 */
const mayBeOurs: ReadonlySet<string> = new Set(["RELEASED_BY_WATCHDOG", "WITHDRAWN", "HELD_BY_OTHERS"]);

/** The latest attempts, oldest first, after the last one that brought the training further. */
function failuresWithoutProgress(s: Situation): readonly EarlierFacts[] {
  if (madeProgress(s)) return [];
  const stuck: EarlierFacts[] = [];
  for (let i = s.earlier.length - 1; i >= 0; i--) {
    const attempt = s.earlier[i];
    if (attempt === undefined) break;
    stuck.unshift(attempt); // It failed, and what came after it got no further.
    if (madeProgress({ progress: attempt.progress, earlier: s.earlier.slice(0, i) })) break;
  }
  return stuck.filter((e) => e.requeuedByUs === true || e.advice?.desired === "RESTARTED");
}

function sameRootInARow(stuck: readonly EarlierFacts[], isSame: (rootKey: string) => boolean): number {
  const different = stuck.toReversed().findIndex((e) => e.advice === undefined || !isSame(e.advice.rootKey));
  return different === -1 ? stuck.length : different;
}
