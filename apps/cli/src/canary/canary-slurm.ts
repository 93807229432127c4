/**
 * canary-slurm: the few commands that a canary sends, all of them about its own jobs.
 *
 * Writes   Slurm: one job; its cancellation, by its ID and its own name together.
 * Fails    `Failure` with Slurm's words where it does not take the job. A look that fails has Slurm's words.
 * Bound    `commandLimitMs` a command.
 */
import { expandHostlist } from "@reprise/core/fact/hostlist.ts";
import type { Runner } from "@reprise/sac/slurm/command/run.ts";
import { type Found, found, notFound } from "../doctor/found.ts";
import { Failure } from "../failure.ts";
import { type CanaryAsked, canaryName, sbatchArgsOf } from "./canary-job.ts";
import type { SlurmSight } from "./judge.ts";

const commandLimitMs = 30_000;

export interface CanarySlurm {
  /** @returns Slurm's ID of it. */
  submit(asked: CanaryAsked, script: string): Promise<string>;
  look(jobId: string): Promise<Found<SlurmSight>>;
  /** @returns Why Slurm refused it. */
  requeueHold(jobId: string): Promise<string | undefined>;
  /** Of a job that has ended already it changes nothing. */
  cancel(jobId: string, mark: string): Promise<void>;
}

export function createCanarySlurm(run: Runner, env: Readonly<Record<string, string>>): CanarySlurm {
  const ask = (program: string, args: readonly string[], input = "") =>
    run(program, args, { limitMs: commandLimitMs, env, input });
  return {
    async submit(asked, script) {
      const { rc, stdout, stderr } = await ask("sbatch", sbatchArgsOf(asked), script);
      const jobId = /^(\d+)(;|$)/m.exec(stdout.trim())?.[1];
      if (rc === 0 && jobId !== undefined) return jobId;
      throw new Failure(
        `Slurm does not take the canary's job: ${stderr.trim() || stdout.trim() || `exit code ${rc}`}`,
        {
          hints: ["Arguments of sbatch that your site asks for go behind `--`, such as `-- --account=ops`."],
        },
      );
    },
    async look(jobId) {
      const { rc, stdout, stderr } = await ask("scontrol", ["-o", "show", "job", jobId]);
      const sight = rc === 0 ? parseSight(stdout) : undefined;
      return sight === undefined ? notFound(stderr.trim() || stdout.trim().slice(0, 200)) : found(sight);
    },
    async requeueHold(jobId) {
      const { rc, stderr } = await ask("scontrol", ["requeuehold", jobId]);
      return rc === 0 ? undefined : stderr.trim() || `exit code ${rc}`;
    },
    async cancel(jobId, mark) {
      await ask("scancel", [`--name=${canaryName(mark)}`, jobId]);
    },
  };
}

/** `JobId=7 JobName=… JobState=RUNNING Reason=None … Restarts=0 … NodeList=n1 … ExcNodeList=n[2-3]`: our own job's, whose texts we know. */
export function parseSight(text: string): SlurmSight | undefined {
  const field = (name: string) => new RegExp(`(?:^| )${name}=(\\S*)`).exec(text)?.[1];
  const [state, restarts] = [field("JobState"), field("Restarts")];
  if (state === undefined || restarts === undefined) return undefined;
  const nodesOf = (list: string | undefined) => (list === undefined || list === "(null)" ? "" : list);
  return {
    state,
    reason: field("Reason") ?? "",
    isHeld: field("Priority") === "0",
    restarts: Number(restarts),
    nodes: nodesOf(field("NodeList")),
    excluded: expandHostlist(nodesOf(field("ExcNodeList"))) ?? [],
  };
}
