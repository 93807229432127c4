/**
 * needs: what each detector must find in a job's log, in the words of docs/job-authors.md.
 *
 * Pure
 */
import type { Policy } from "@reprise/core/nouns.ts";

export interface Need {
  /** The detector: its key in the comment. */
  readonly key: string;
  readonly isOn: boolean;
  readonly needs: string;
}

export function needsOf({ anomalyDetection: on, logPaths, enableNvrx }: Policy): readonly Need[] {
  const files = logPaths === undefined ? "Slurm's stdout and stderr" : logPaths.join(", ");
  return [
    {
      key: "log_based_crash",
      isOn: on.logBasedCrash,
      needs: `${files}, readable by the watcher, unbuffered (python -u). A rank before the line ([rank7]:, srun --label) or a host in it lets a node be named${enableNvrx ? ". The launcher's restarts of the workers are read from the same log" : ""}.`,
    },
    {
      key: "log_based_timeout",
      isOn: on.logBasedTimeout,
      needs: `A step number that grows: the first within ${on.pretrainingTimeoutSeconds} s, then one every ${on.trainingLoopTimeoutSeconds} s at least. Output without one is no progress. A line before an evaluation or a checkpoint lengthens the limit.`,
    },
    {
      key: "slowdown",
      isOn: on.slowdown,
      needs: "Step lines at a steady rate, with the time of a step or a time stamp where the line has one.",
    },
  ];
}
