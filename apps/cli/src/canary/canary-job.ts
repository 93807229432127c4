/**
 * canary-job: the tiny job of a canary: its first attempt fails on a line that the watcher knows, the next one completes.
 *
 * Pure
 * Keeps   it asks for one node and ten minutes at most; its name is its own, so that nothing else is ever cancelled by it.
 *         Its line accuses no node in other jobs (`signatures/canary.yaml`).
 */
import { join } from "node:path";
import { canaryWorkflow } from "@reprise/core/figures/shadow.ts";

export const canaryLine = "reprise canary: fails on purpose";
export const canaryCause = "reprise-canary";

const minutesMax = 10;
/** SAC looks every 2 s, and sees it run first. */
const failsAfterSeconds = 5;
/** The second look that confirms the restart comes 6 s after the first. */
const goesOnSeconds = 15;

export interface CanaryAsked {
  readonly partition: string;
  /** Its output goes there: the watcher reads it. */
  readonly folder: string;
  /** Of `reprise-canary-<mark>`, its name. */
  readonly mark: string;
  /** More arguments of sbatch, such as an account. They come first: ours win. */
  readonly sbatchArgs: readonly string[];
  /** By its comment. */
  readonly optsIn: boolean;
}

export const canaryName = (mark: string): string => `reprise-canary-${mark}`;
export const outputOf = ({ folder, mark }: Pick<CanaryAsked, "folder" | "mark">): string =>
  join(folder, `${canaryName(mark)}.log`);

export const canaryScript = `#!/bin/sh
if [ "\${SLURM_RESTART_COUNT:-0}" = 0 ]; then
  sleep ${failsAfterSeconds}
  echo '${canaryLine}'
  exit 1
fi
echo 'reprise canary: goes on'
sleep ${goesOnSeconds}
`;

/** Of the second job, which has no comment: nothing is done for it but by the canary. */
export const failOpenScript = `#!/bin/sh
[ "\${SLURM_RESTART_COUNT:-0}" = 0 ] && exit 1
exit 0
`;

/** Of `sbatch`, which reads the script from its input. */
export function sbatchArgsOf({ partition, folder, mark, sbatchArgs, optsIn }: CanaryAsked): readonly string[] {
  const recovery = { auto_resume_mode: "requeue", max_requeue_times: 1, workflow_id: canaryWorkflow };
  return [
    "--parsable",
    ...sbatchArgs,
    `--partition=${partition}`,
    `--job-name=${canaryName(mark)}`,
    "--nodes=1",
    `--time=${minutesMax}`,
    "--requeue",
    `--chdir=${folder}`,
    `--output=${outputOf({ folder, mark })}`,
    "--open-mode=append",
    `--comment=${optsIn ? JSON.stringify({ recovery }) : canaryWorkflow}`,
  ];
}
