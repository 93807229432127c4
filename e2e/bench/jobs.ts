/**
 * jobs: what fails in the recovery benchmark, and how.
 *
 * Gives   a batch script a kind. Each writes the time of its fault (ms since the epoch) to `<folder>/fault-<jobId>` in the moment before.
 * Keeps   a kind fails on its first attempt only, and its second runs long enough to be seen.
 */
import { trainingJob } from "@reprise/slurm-lab/training-job.ts";
import { eccLine, optIn } from "../world/world.ts";

export type JobKind =
  /** Prints a fatal line and stays alive. */
  | "stuck"
  /** The same, and ignores SIGTERM: it is COMPLETING until Slurm kills it. */
  | "deaf"
  /** Ends with an exit code and without a word. */
  | "exit"
  /** The training program, two nodes; one rank prints a fatal line and stays alive. */
  | "training"
  /** No comment; Slurm itself requeues its exit code (RequeueExit). */
  | "slurm";

export const slurmsOwnExitCode = 100;

export interface JobOfBench {
  readonly script: string;
  readonly args: readonly string[];
}

/** Seconds that a shell job runs before its fault: SAC and the watcher know it by then, as they know a job of days. */
const healthySeconds = 6;
const secondAttemptSeconds = 15;

/** @param folder Its own, on shared storage. */
export function benchJob(kind: JobKind, folder: string, nodeProgram: string): JobOfBench {
  if (kind === "training") {
    const faults = [{ attempt: 0, node: 1, step: 50, kind: "ecc" }] as const;
    return trainingJob({ dir: folder, nodeProgram, steps: 80, checkpointEvery: 20, faults, comment: optIn() });
  }
  const comment = kind === "slurm" ? [] : [`--comment=${JSON.stringify(optIn())}`];
  return {
    script: shellScript(kind, folder),
    args: ["--nodes=1", "--gres=gpu:1", "--requeue", `--output=${folder}/slurm-%j.out`, ...comment],
  };
}

function shellScript(kind: Exclude<JobKind, "training">, folder: string): string {
  const fatal = `echo '${eccLine}' >&2`;
  const faults: Readonly<Record<typeof kind, string>> = {
    stuck: `${fatal}; exec sleep 600`,
    deaf: `trap '' TERM; ${fatal}; while :; do sleep 1; done`,
    exit: "exit 7",
    slurm: `exit ${slurmsOwnExitCode}`,
  };
  return [
    "#!/bin/sh",
    `if [ "\${SLURM_RESTART_COUNT:-0}" != 0 ]; then exec sleep ${secondAttemptSeconds}; fi`,
    `sleep ${healthySeconds}`,
    `date +%s%3N >"${folder}/fault-$SLURM_JOB_ID"`,
    faults[kind],
    "",
  ].join("\n");
}
