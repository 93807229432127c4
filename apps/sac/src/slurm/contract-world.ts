/** contract-world: the cluster in which the stories of `slurm.contract.ts` are told, and one job in it. */
import type { SlurmJob } from "@reprise/core/nouns.ts";
import type { Command, Expected, Outcome, Pass, Slurm } from "./slurm.ts";

export interface JobSpec {
  /** What the batch script does: fails with 7, ends with 0, or runs until it is stopped. */
  readonly does: "fail" | "complete" | "run";
  /** More arguments of sbatch. */
  readonly args?: readonly string[];
}

export interface World {
  readonly slurm: Slurm;
  /** Gives the job's ID (of an array, the array's). */
  submit(job: JobSpec): Promise<string>;
  /** An administrator at his own terminal: `scontrol` or `scancel` with these arguments. */
  admin(program: "scontrol" | "scancel", ...args: string[]): Promise<void>;
  /** The next command is carried out, and its answer is lost. */
  loseNextAnswer(): void;
  stopController(): Promise<void>;
  startController(): Promise<void>;
  /** Looks again and again until the answer is neither undefined nor false. */
  until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T>;
}

/** A pass that shows this job; `undefined` when there was none, or it does not. */
export async function viewWith(world: World, jobId: string): Promise<Pass | undefined> {
  const seen = await world.slurm.look();
  return seen.kind === "seen" && seen.value.jobs.has(jobId) ? seen.value : undefined;
}

/** One job, as the stories handle it. */
export class ContractJob {
  readonly jobId: string;
  private readonly world: World;
  constructor(world: World, jobId: string) {
    this.world = world;
    this.jobId = jobId;
  }

  view(): Promise<Pass> {
    return this.world.until(`${this.jobId} is seen`, () => viewWith(this.world, this.jobId));
  }

  async now(): Promise<SlurmJob> {
    const job = (await this.view()).jobs.get(this.jobId);
    if (job === undefined) throw new Error(`${this.jobId} is not seen`);
    return job;
  }

  /** The job, as soon as it looks like this (plain values only). */
  until(like: Partial<SlurmJob>): Promise<SlurmJob> {
    const keys = Object.keys(like) as (keyof SlurmJob)[];
    return this.world.until(`${this.jobId} is ${JSON.stringify(like)}`, async () => {
      const job = await this.now();
      return keys.every((key) => job[key] === like[key]) ? job : undefined;
    });
  }

  async expected(): Promise<Expected> {
    const { jobId, restartCount, submitAt, state } = await this.now();
    return { jobId, restartCount, submitAt, states: [state] };
  }

  async apply(command: Command, expected?: Expected): Promise<Outcome> {
    return this.world.slurm.apply(command, { expected: expected ?? (await this.expected()), leaseTerm: 1, epoch: 0 });
  }

  async holdReason(): Promise<string | undefined> {
    const seen = await this.world.slurm.holdReasons([this.jobId]);
    if (seen.kind !== "seen") throw new Error(`hold reasons are ${seen.kind}`);
    return seen.value.get(this.jobId);
  }
}
