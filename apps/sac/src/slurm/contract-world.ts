/** contract-world: the cluster in which the stories of `contract/` are told, and one job in it. */
import { isLeader } from "@reprise/core/fact/heterogeneous.ts";
import type { SlurmJob } from "@reprise/core/nouns.ts";
import type { Command, Expected, Outcome, Pass, Slurm } from "./slurm.ts";

/**
 * What the batch script does: fails with 7, ends with 0, runs until it is stopped; `trap`: takes 2 s to end after SIGTERM, then exits 3;
 * `die`: kills itself with signal 9; or exits with this code.
 */
export type Does = "fail" | "complete" | "run" | "trap" | "die" | number;

export interface JobSpec {
  readonly does: Does;
  /** It runs so long before it does. Absent: it does at once. */
  readonly afterSeconds?: number;
  /** More arguments of sbatch. */
  readonly args?: readonly string[];
  readonly user?: User;
}

/** root; the `owner` of jobs who is nobody special; a `stranger` who owns none; an `operator`, whom only the `accounted` cluster knows as one. */
export type User = "root" | "owner" | "stranger" | "operator";

export interface Answered {
  readonly rc: number;
  readonly stderr: string;
}

/** What a cluster must have, so that all stories can be told in it at the same time. */
export const clusterOfStories = {
  credExpireSeconds: 5,
  killWaitSeconds: 3,
  requeueExit: 100,
  requeueExitHold: 111,
  /** One CPU for a job; nobody uses GPUs. Stories that break nodes, or need one for themselves, have their own partition. */
  nodes: ["n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10"],
  partitions: [
    { name: "gpu", nodes: ["n1", "n2", "n3"] },
    { name: "low", nodes: ["n4"], priorityTier: 1, preemptMode: "requeue" },
    { name: "lowcancel", nodes: ["n5"], priorityTier: 1, preemptMode: "cancel" },
    { name: "high", nodes: ["n4", "n5"], priorityTier: 10, preemptMode: "off" },
    { name: "broken", nodes: ["n6"] },
    { name: "drained", nodes: ["n7"] },
    { name: "prolog", nodes: ["n8"] },
    { name: "kept", nodes: ["n9", "n10"] },
  ],
  /** Of these nodes, for root. */
  reservation: { name: "kept", nodes: ["n9", "n10"] },
  /** Of the partition `gpu`. */
  features: { n1: ["rack1"], n2: ["rack1", "rack2"], n3: ["rack2"] },
  /** One job may have it at a time. */
  license: "lic",
} as const;

export interface World {
  readonly slurm: Slurm;
  /** Gives the job's ID (of an array, the array's; of a heterogeneous job, the leader's). @throws with sbatch's words. */
  submit(job: JobSpec): Promise<string>;
  /** Two components of one CPU, and the script in the first. Absent: they run until they are stopped. */
  submitHet(does?: Does): Promise<string>;
  /** An srun that sleeps; gives its job's ID. */
  submitInteractive(): Promise<string>;
  /** Somebody at a terminal: `scontrol` or `scancel` with these arguments. */
  type(user: User, program: "scontrol" | "scancel", ...args: string[]): Promise<Answered>;
  /** `SLURM_RESTART_COUNT` as each start of this job saw it; `unset` the first time. */
  starts(jobId: string): Promise<readonly string[]>;
  /** The next command is carried out, or not, and its answer is lost. */
  loseNextAnswer(how: "applied" | "not-applied"): void;
  /** In order; at once, forgetting what was not saved; standing still. Each returns when it is so. */
  stopController(): Promise<void>;
  startController(): Promise<void>;
  crashController(): Promise<void>;
  pauseController(): Promise<void>;
  resumeController(): Promise<void>;
  /** Its slurmd and all processes die, and Slurm is told. `nodeBack` undoes it. */
  nodeLost(name: string): Promise<void>;
  nodeBack(name: string): Promise<void>;
  /** The next start on this node fails in the prolog. */
  failProlog(name: string): void;
  /** The next end on this node fails in the epilog. */
  failEpilog(name: string): void;
  /** Time passes, and nothing else is done. */
  pass(ms: number): Promise<void>;
  /** Looks again and again until the answer is neither undefined nor false. Default limit 30 000 ms. */
  until<T>(what: string, look: () => Promise<T | undefined | false>, withinMs?: number): Promise<T>;
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
  until(like: Partial<SlurmJob>, withinMs?: number): Promise<SlurmJob> {
    const keys = Object.keys(like) as (keyof SlurmJob)[];
    const look = async () => {
      const job = await this.now();
      return keys.every((key) => job[key] === like[key]) ? job : undefined;
    };
    return this.world.until(`${this.jobId} is ${JSON.stringify(like)}`, look, withinMs);
  }

  async expected(): Promise<Expected> {
    const job = await this.now();
    const { jobId, restartCount, submitAt, state, priority, excludedNodes, sluid } = job;
    const ofLeader = { ...(isLeader(job) ? { isHetLeader: true } : {}), ...(sluid === undefined ? {} : { sluid }) };
    return { jobId, restartCount, submitAt, states: [state], isHeld: priority === 0, excludedNodes, ...ofLeader };
  }

  async apply(command: Command, expected?: Expected): Promise<Outcome> {
    return this.world.slurm.apply(command, { expected: expected ?? (await this.expected()), leaseTerm: 1, epoch: 0 });
  }

  async holdReason(): Promise<string | undefined> {
    const seen = await this.world.slurm.holdReasons([this.jobId]);
    if (seen.kind !== "seen") throw new Error(`hold reasons are ${seen.kind}`);
    return seen.value.get(this.jobId);
  }

  /** `scontrol VERB … JOB` as this person types it, and what it answers: `0`, or `1 Job is pending execution for job N`. */
  async scontrol(verb: string, user: User = "root"): Promise<string> {
    return this.answer(await this.world.type(user, "scontrol", ...verb.split(" "), this.jobId));
  }

  /** `scontrol update JobId=JOB …`. */
  async update(changes: readonly string[], user: User = "root"): Promise<string> {
    return this.answer(await this.world.type(user, "scontrol", "update", `JobId=${this.jobId}`, ...changes));
  }

  async scancel(user: User = "root"): Promise<string> {
    return this.answer(await this.world.type(user, "scancel", this.jobId));
  }

  private answer({ rc, stderr }: Answered): string {
    return `${rc} ${stderr.replaceAll(new RegExp(`\\b${this.jobId}\\b`, "g"), "N")}`.trim();
  }
}

/** What most stories begin with. */
export const held = { state: "PENDING", priority: 0 };

/** Submitted, and seen to look like this. */
export async function submitted(world: World, spec: JobSpec, until?: Partial<SlurmJob>): Promise<ContractJob> {
  const job = new ContractJob(world, await world.submit(spec));
  await job.until(until ?? {});
  return job;
}

export const failed = (world: World, ...args: string[]) =>
  submitted(world, { does: "fail", args }, { state: "FAILED" });
export const running = (world: World, ...args: string[]) =>
  submitted(world, { does: "run", args }, { state: "RUNNING" });
export const waiting = (world: World, ...args: string[]) =>
  submitted(world, { does: "run", args: ["--hold", ...args] }, held);

/** Failed, and requeued held by us. */
export async function requeued(world: World, ...args: string[]): Promise<ContractJob> {
  const job = await failed(world, ...args);
  await job.apply({ kind: "requeue-hold", isRunning: false });
  await job.until({ ...held, restartCount: 1 });
  return job;
}

/**
 * From the requeue to the first possible start, as the job's own times tell it. cred_expire + 1 s; one second less where the new submit time
 * would have been the old one, and was made a second later.
 */
export const delaysMs = [5_000, 6_000];
export const delayOf = ({ startAt = 0, submitAt }: SlurmJob): number => startAt - submitAt;
