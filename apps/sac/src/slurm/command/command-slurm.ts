/** command-slurm: the real Slurm, through the cluster's own squeue, sinfo, scontrol and scancel. */
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Chance, Log } from "@reprise/runtime/life.ts";
import { applyOver, type Slurm } from "../slurm.ts";
import { createApplyAll } from "./apply.ts";
import { commandEnvironment } from "./environment.ts";
import { createHoldReasons } from "./hold-reasons.ts";
import { createLook } from "./look.ts";
import type { Runner } from "./run.ts";

export interface CommandSlurmDeps {
  /** `createRunner(clock)`, or a test's own. */
  readonly run: Runner;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  /** The environment of SAC; only what Slurm's commands need of it is passed on (`PATH`, `SLURM_CONF`, …). */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The fence file is here, and the child's compile cache. */
  readonly stateDir: string;
  readonly cluster: string;
  /** The Node that runs the command child; `process.execPath`. */
  readonly node: string;
}

export function createCommandSlurm(deps: CommandSlurmDeps): Slurm {
  const { run, clock, chance, log, stateDir, cluster, node } = deps;
  const env = commandEnvironment(deps.env);
  const applyAll = createApplyAll({ run, env, stateDir, node });
  return {
    look: createLook({ run, clock, chance, log, env, cluster }),
    holdReasons: createHoldReasons({ run, clock, env }),
    apply: applyOver(applyAll),
    applyAll,
  };
}
