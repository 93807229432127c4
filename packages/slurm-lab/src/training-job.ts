/**
 * training-job: the batch job that trains, for the demo, the end-to-end tests and the benchmarks.
 *
 * Takes   where to train, how long, what goes wrong, and what the author's comment says.
 * Gives   the text of the batch script and the arguments of `sbatch`.
 * Pure    total; the paths in it are those it is given, and this package's own.
 * Keeps   rank r runs on node floor(r / tasksPerNode) of the job's nodes, one task a GPU.
 */
import { fileURLToPath } from "node:url";
import type { Fault } from "../training/settings.ts";

export interface TrainingJobOptions {
  /** On shared storage; checkpoints, result and fault records go there. Absolute. */
  readonly dir: string;
  /** The absolute path of the Node that runs the workers: a job's PATH is not ours. */
  readonly nodeProgram: string;
  /** sbatch's pattern. Default `<dir>/slurm-%j.out`; stdout and stderr both. */
  readonly outputPath?: string;
  readonly name?: string;
  /** Written as the job's comment: `{ recovery: { auto_resume_mode: "requeue" } }`. A string is taken as it is. */
  readonly comment?: object | string;
  readonly nodes?: number;
  readonly tasksPerNode?: number;
  readonly partition?: string;
  readonly steps?: number;
  readonly checkpointEvery?: number;
  readonly seed?: number;
  readonly globalBatch?: number;
  /** The least time of a step (ms). */
  readonly stepMs?: number;
  readonly faults?: readonly Fault[];
  /** `append`: the attempts share one output. `truncate`: a restart begins it anew, as Slurm does unless told. */
  readonly openMode?: "append" | "truncate";
  /** More arguments for sbatch, such as `--hold` or `--dependency=singleton`. */
  readonly args?: readonly string[];
}

export interface TrainingJob {
  readonly script: string;
  readonly args: readonly string[];
  readonly outputPath: string;
}

const workerProgram = fileURLToPath(new URL("../training/worker.ts", import.meta.url));

export function trainingJob(options: TrainingJobOptions): TrainingJob {
  const {
    dir,
    nodeProgram,
    comment,
    partition,
    nodes = 2,
    tasksPerNode = 2,
    openMode = "append",
    name = "train",
  } = options;
  const outputPath = options.outputPath ?? `${dir}/slurm-%j.out`;
  const settings: [key: string, value: string | number | undefined][] = [
    ["TRAIN_DIR", dir],
    ["TRAIN_STEPS", options.steps],
    ["TRAIN_CHECKPOINT_EVERY", options.checkpointEvery],
    ["TRAIN_SEED", options.seed],
    ["TRAIN_GLOBAL_BATCH", options.globalBatch],
    ["TRAIN_STEP_MS", options.stepMs],
    ["TRAIN_FAULTS", JSON.stringify(options.faults ?? [])],
  ];
  const script = [
    "#!/bin/sh",
    "ulimit -c 0 # A fault may be a SIGSEGV; nobody reads its core.",
    ...settings.flatMap(([key, value]) => (value === undefined ? [] : [`export ${key}=${quoted(String(value))}`])),
    "export TRAIN_RUN_ID=$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}-$(date +%s%N) # A rolled back controller repeats an attempt.",
    `exec srun --kill-on-bad-exit=1 --distribution=block --propagate=CORE ${quoted(nodeProgram)} ${quoted(workerProgram)}`,
    "",
  ].join("\n");
  const args = [
    `--job-name=${name}`,
    `--nodes=${nodes}`,
    `--ntasks-per-node=${tasksPerNode}`,
    `--gres=gpu:${tasksPerNode}`,
    `--output=${outputPath}`,
    `--open-mode=${openMode}`,
    "--requeue",
    ...(partition === undefined ? [] : [`--partition=${partition}`]),
    ...(comment === undefined ? [] : [`--comment=${typeof comment === "string" ? comment : JSON.stringify(comment)}`]),
    ...(options.args ?? []),
  ];
  return { script, args, outputPath };
}

const quoted = (value: string) => `'${value.replaceAll("'", "'\\''")}'`;
