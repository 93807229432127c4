/**
 * step: what a plan may say, and what it may know besides the view.
 *
 * Keeps   a union: nobody can hold half a step.
 * Source  design §7.
 */
import { limits } from "../limits.ts";
import type { Disposition, Instant, ReconciliationReason, Seen, SlurmJob, SlurmView } from "../nouns.ts";
import type { Constraints, JournalStep, Marker, Work, Written } from "./work.ts";

export type Step =
  | { readonly kind: "mark"; readonly marker: Marker }
  | { readonly kind: "requeue-hold"; readonly isRunning: boolean }
  | (Constraints & {
      readonly kind: "update-constraints";
      /** The `singleton` that the requeue lost. */
      readonly dependency?: string;
      readonly marker?: Marker;
      readonly droppedNodes: readonly string[];
    })
  | { readonly kind: "release" }
  | { readonly kind: "set-start"; readonly inSeconds: number; readonly marker?: Marker }
  /** Of a job that waits for this one: the same dependency once more, so that Slurm judges it again. */
  | { readonly kind: "repair-dependency"; readonly dependency: string }
  | { readonly kind: "cancel" };

export type Plan =
  | { readonly kind: "wait"; readonly why: string }
  /** Everything is as desired; it counts when a second view, `settleMs` later, says the same. */
  | { readonly kind: "satisfied"; readonly why: string }
  /** An ending after a step of ours: a controller that rolls back brings our hold back, so it too is seen twice. */
  | { readonly kind: "settling"; readonly reason: ReconciliationReason; readonly why: string }
  /** A release, or a requeue of a suspended source, needs to know why the job is held; ask Slurm and plan again. */
  | { readonly kind: "ask-hold"; readonly jobId: string }
  | { readonly kind: "act"; readonly step: Step; readonly job: SlurmJob; readonly why: string }
  | {
      readonly kind: "finish";
      readonly disposition: Disposition;
      readonly reason: ReconciliationReason;
      readonly why: string;
    };

export type Act = Plan & { readonly kind: "act" };

/** A view that could be read: nothing follows from any other (invariant 6). */
export type SeenView = Seen<SlurmView> & { readonly kind: "seen" };

export interface Known {
  readonly steps: readonly JournalStep[];
  /** What AdminComment holds of us; `writable` is false when it holds something that is not ours to change. */
  readonly marker: { readonly value: Marker | undefined; readonly writable: boolean };
  /** What every view has said since then: `satisfied`, or the reason of an ending. Absent: the last one said neither. */
  readonly settling?: { readonly verdict: "satisfied" | ReconciliationReason; readonly since: Instant };
  /** The view was begun before anybody here knew of the Advice, which may be about what has happened since. Absent: it was not. */
  readonly isLookOlder?: boolean;
  /** For how long Slurm has not answered since the last requeue was begun (ms). */
  readonly blindMs?: number;
  /** When the slurmctld was started that the view is of, by its own clock. Absent: it did not say. */
  readonly bootedAt?: Instant;
  /** Answer to `ask-hold`. */
  readonly holdReason?: "user" | "admin" | "other" | "none" | "unavailable";
  /** By job ID: what we last wrote into it, or may have, whichever attempt it was for. */
  readonly written?: ReadonlyMap<string, Written>;
  /** Jobs that were seen to wait as singletons, also those that run now. */
  readonly singletons?: ReadonlySet<string>;
  /** Absent: nothing but the Advice's own job may be touched. */
  readonly site?: Site;
  readonly skipRequeueDelay: boolean;
  /** How long Slurm itself keeps a requeued job from starting: `cred_expire` + 1 s, or `requeue_delay`. */
  readonly requeueDelayMs: number;
}

/** Where SAC acts. */
export interface Site {
  readonly partitions: readonly string[];
  readonly environment?: string;
}

export const markerOf = (work: Work, step: Marker["step"], at: Instant): Marker => ({
  id: work.heimdallJobId,
  generation: work.generation,
  step,
  at,
});
export function tried(steps: readonly JournalStep[], action: JournalStep["action"], generation: number): boolean {
  return steps.some((s) => s.action === action && s.generation === generation);
}
/** Its command was sent, or may have been. */
export const mayHaveActed = ({ outcome }: Pick<JournalStep, "outcome">): boolean =>
  outcome !== "refused" && outcome !== "moved";
/** From when on a view may be trusted to show what a step did. */
export function showsFrom({ begunAt, endedAt, outcome }: JournalStep): Instant {
  if (endedAt === undefined) return begunAt + limits.commandLimitMs + limits.settleMs;
  return outcome === "unknown" ? endedAt + limits.settleMs : endedAt;
}
export const wait = (why: string): Plan => ({ kind: "wait", why });
export const satisfied = (why: string): Plan => ({ kind: "satisfied", why });
export const abandon = (reason: ReconciliationReason, why: string): Plan => ({
  kind: "finish",
  disposition: "ABANDONED",
  reason,
  why,
});

/**
 * The view does not show what the Advice is about. It may have come since, where the view is the older one: another SAC saw it and the server
 * decided about it while this one stood still.
 */
export const missed = ({ isLookOlder }: Known, reason: ReconciliationReason, why: string): Plan =>
  isLookOlder === true
    ? wait(`${why}, in a look of before the Advice was known: it is looked again`)
    : abandon(reason, why);
