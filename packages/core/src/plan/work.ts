/**
 * work: one open Advice with what carrying it out needs, and what the journal knows of it.
 *
 * Keeps   everything that authorises a step is in here or in the view; a plan asks nobody else.
 */
import type { DesiredState, Instant } from "../nouns.ts";

export type StepAction =
  | "mark"
  | "requeue-hold"
  | "update-constraints"
  | "release"
  | "set-start"
  | "cancel"
  | "repair-dependency"
  | "watchdog-release";

export interface Work {
  /** The source attempt. */
  readonly heimdallJobId: string;
  readonly jobId: string;
  readonly attemptIndex: number;
  /** Slurm's submit time of the source attempt: with job ID and index it names the attempt, also over a reissued ID. 0: not known yet. */
  readonly sourceSubmitAt: Instant;
  readonly sourceSluid?: string;
  readonly generation: number;
  readonly desired: DesiredState;
  readonly exclusions: readonly WorkExclusion[];
  /** What the author himself excludes: recorded at first sight, and the policy's `exclude_nodes`. */
  readonly authorExclusions: readonly string[];
  /** Back-off, counted from the requeue. 0: as soon as possible. */
  readonly startDelayMs: number;
  /** The Advice asks for another run after a clean exit (`requeue_on_completion`). */
  readonly restartsCompleted: boolean;
  /** The watcher has read the source attempt's logs to their end. */
  readonly logEnded: boolean;
  readonly withdrawn: boolean;
  /** Something was learnt since the server decided, or it could not see Slurm then: nothing is begun before it has thought again. */
  readonly isUndecided?: boolean;
  /** An operator has forbidden the restart: a successor that our requeue made does not run. */
  readonly forbidden?: boolean;
  /** The gates of a job that waits for others are the reason: it is ended only while it is held. */
  readonly isOfGates?: boolean;
  /** Slurm's own hold after a failed launch is to be lifted. */
  readonly isOfLaunch?: boolean;
  /** `singleton_dependency`: nothing is requeued; the next held job of the chain is let go in its stead. */
  readonly isOfChain?: boolean;
  readonly expiresAt: Instant;
  /** Every partition the source was submitted to or ran in. */
  readonly partition: string;
  /** Slurm's `Dependency` of the source, as it was last shown. Absent: it showed none. */
  readonly sourceDependency?: string;
}

export interface WorkExclusion {
  readonly node: string;
  readonly confidence: number;
  readonly expiresAt: Instant;
  /** Of a chain: its author kept the source away from it, and no Advice did. */
  readonly isInherited?: boolean;
}

export type StepOutcome = "done" | "moved" | "refused" | "unknown";

/** A step as the journal has it. `endedAt` absent: begun, and nobody knows how it went. */
export interface JournalStep {
  readonly action: StepAction;
  readonly generation: number;
  /** The job that it was done to, where that is another than the Advice's. */
  readonly onJob?: string;
  readonly begunAt: Instant;
  readonly endedAt?: Instant;
  readonly outcome?: StepOutcome;
  /** Slurm's words, or the refusal's code. */
  readonly detail?: string;
  /** When the slurmctld was started that the look showed from which the step was begun (`release`), by its own clock. */
  readonly bootedAt?: Instant;
  /** The source was running when the step was begun, or was seen to leave its nodes after it (`requeue-hold`). */
  readonly sourceRan?: boolean;
  /**
   * Slurm's submit time of the successor as it was first seen after this step (`requeue-hold`): another one is another requeue's, unless
   * the source ran. Of a source that ran it is noted only where the outcome is not known.
   */
  readonly landedAs?: Instant;
  /** When Slurm showed the source again, late enough to show this step (`requeue-hold`): it has no effect, or none any more. */
  readonly undoneAt?: Instant;
  /** Exclusions that this step left out because Slurm could not place the job with them. */
  readonly droppedNodes?: readonly string[];
}

/** What an update wrote into a job's `ExcNodeList`. */
export interface Constraints {
  readonly exclude: readonly string[];
  /** Of them, those that stand there because of recovery: neither the job nor its author's comment had them before. */
  readonly ours: readonly string[];
}

export interface Written extends Constraints {
  /** The source attempt of the Advice that it was written for. */
  readonly by: Pick<Work, "heimdallJobId" | "attemptIndex">;
}

/** The one JSON key that Reprise keeps in `AdminComment`. */
export interface Marker {
  /** heimdallJobId of the source attempt. */
  readonly id: string;
  readonly generation: number;
  /**
   * `intent`: written before a running source is requeued. `held`: written into the successor that we hold. `released`: our hold
   * is gone; one that is there now is somebody else's. (A controller that rolls the release back rolls this back too.)
   */
  readonly step: "intent" | "held" | "released";
  readonly at: Instant;
}
