/**
 * sim-slurm: what the simulated Slurm is given, and what it gives: to SAC, to people, to the world around it, to checkers.
 *
 * Keeps   nothing here is more than a real cluster, its users and its accidents can do; what only a simulation can know is `job`, `jobs`,
 *         `history`.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { FenceLevel } from "@reprise/sac/slurm/command/fence-file.ts";
import type { Runner } from "@reprise/sac/slurm/command/run.ts";
import type { Slurm } from "@reprise/sac/slurm/slurm.ts";

export interface SimSlurmDeps {
  /** The true time of the machine slurmctld runs on. It may stand still between two calls; it never goes back. */
  readonly clock: { now(): Instant };
  /** Uniform in [0, 1), from the world's seed. */
  readonly chance: () => number;
  readonly nodes: readonly NodeSpec[];
  /** Absent: one partition `gpu` of all nodes. The first is the default. */
  readonly partitions?: readonly PartitionSpec[];
  readonly settings?: Partial<SimSettings>;
  /** What a job does once it runs. Absent, or it gives `undefined`: the spec's `program`. */
  readonly start?: StartProgram;
}

export interface NodeSpec {
  readonly name: string;
  /** Default 16; a job takes one a node unless it says otherwise. */
  readonly cpus?: number;
  /** Default 8. */
  readonly gpus?: number;
  /** Default h100. */
  readonly gpuType?: string;
  /** Default 64 000. */
  readonly memoryMb?: number;
  readonly features?: readonly string[];
}

export interface PartitionSpec {
  readonly name: string;
  /** Absent: all. */
  readonly nodes?: readonly string[];
  /** A job of a higher tier preempts one of a lower tier whose partition allows it. Default 1. */
  readonly priorityTier?: number;
  /** What happens to a preempted job of this partition. Default `off`. */
  readonly preemptMode?: "off" | "requeue" | "cancel";
}

export interface SimSettings {
  /** `22.05`, `25.11`, `26.05`; what they do otherwise is in `releases.ts`. */
  readonly release: string;
  readonly cluster: string;
  /** A requeued job may not start for so many seconds and one more. Slurm's default: 120. */
  readonly credExpireSeconds: number;
  /** `SchedulerParameters=requeue_delay`: counts in the place of the above where the release has it. */
  readonly requeueDelaySeconds: number | undefined;
  /** `SlurmctldParameters=enable_expedited_requeue`. */
  readonly expeditedRequeue: boolean;
  /** Between SIGTERM and SIGKILL. Slurm's default: 30. */
  readonly killWaitSeconds: number;
  /** A finished job is forgotten after this. Slurm's default: 300. */
  readonly minJobAgeSeconds: number;
  /** Looks for jobs to forget. Slurm: every 60 s. */
  readonly purgeEverySeconds: number;
  /** From an event (submit, end, release, …) to the scheduling pass that it causes. 22.05 on a lab: 0 to 1000. */
  readonly schedDelayMs: number;
  /** From the last process of a job to the end of COMPLETING. */
  readonly epilogMs: number;
  /** A crash loses at most what was done in so many ms (SAVE_MAX_WAIT). */
  readonly saveWaitMs: number;
  /** A silent node is DOWN after about this. Slurm's default: 300. */
  readonly slurmdTimeoutSeconds: number;
  /** A job whose processes nobody has seen end (a crash forgot its end) is found missing after this. 22.05: 45 to 100. */
  readonly missingAfterSeconds: number;
  /** `JobRequeue`: what sbatch without --requeue and --no-requeue gives. */
  readonly jobRequeue: boolean;
  /** Exit codes after which Slurm itself requeues (RequeueExit), or requeues held (RequeueExitHold). */
  readonly requeueExit: readonly number[];
  readonly requeueExitHold: readonly number[];
  /** `SchedulerParameters=nohold_on_prolog_fail`. */
  readonly noHoldOnPrologFail: boolean;
  /** `DependencyParameters=kill_invalid_depend`. */
  readonly killInvalidDepend: boolean;
  /** Nodes that only jobs with `--reservation` of that name get. */
  readonly reservations: Readonly<Record<string, readonly string[]>>;
  /** How many of each there are. */
  readonly licenses: Readonly<Record<string, number>>;
  /** The site's own plugin (`job_submit/lua`) lets nobody set ExcNodeList. */
  readonly refusesExclusions: boolean;
  /** Beside root and SlurmUser (root, here): accounts with adminlevel=Operator. */
  readonly operators: readonly string[];
  /** The first job ID. */
  readonly firstJobId: number;
}

/** One job as sbatch is asked for it; every key as the option of that name. */
export interface SubmitSpec {
  readonly name?: string;
  /** Default `root`. */
  readonly user?: string;
  readonly account?: string;
  /** One, or several between commas. Default: the first of the cluster. */
  readonly partition?: string;
  /** Default 1. */
  readonly nodes?: number;
  readonly gpusPerNode?: number;
  /** Absent: of any type. */
  readonly gpuType?: string;
  readonly cpusPerNode?: number;
  readonly memoryMbPerNode?: number;
  readonly exclusive?: boolean;
  readonly comment?: string;
  readonly hold?: boolean;
  readonly requeue?: boolean;
  /** `--requeue=expedite`. */
  readonly expedite?: boolean;
  /** False: srun or salloc. Default true. */
  readonly batch?: boolean;
  /** Slurm's own list: `n[1-3]`. */
  readonly exclude?: string;
  readonly nodelist?: string;
  /** `afterok:12`, `singleton`, `afterany:3:4,afternotok:5`. */
  readonly dependency?: string;
  readonly killOnInvalidDep?: boolean;
  readonly reservation?: string;
  /** Of the forms that `readConstraint` reads, without counts. */
  readonly constraint?: string;
  /** One of it: `lic:1`. */
  readonly licenses?: string;
  /** `0-5`, `1,3,7`, `0-9%2`. */
  readonly array?: string;
  readonly timeLimitMinutes?: number;
  readonly beginAt?: Instant;
  /** With a time limit: when it can no longer end by then, it ends as DEADLINE. */
  readonly deadlineAt?: Instant;
  readonly output?: string;
  readonly error?: string;
  readonly workDir?: string;
  readonly command?: string;
  /** The further components of a heterogeneous job; the spec itself is the leader. */
  readonly hetComponents?: readonly Pick<SubmitSpec, "nodes" | "gpusPerNode" | "cpusPerNode" | "partition">[];
  /** What it does when `start` does not say. Default: runs until it is stopped. */
  readonly program?: ProgramSpec;
}

export interface ProgramSpec {
  /** Ends by itself after this. Absent: never. */
  readonly endsAfterMs?: number;
  readonly exit?: Exit;
  /** Goes on so long after SIGTERM. Default 0; at most KillWait. */
  readonly trapsTermMs?: number;
}

/** How the batch script ended. Default exit code 0, signal 0. */
export interface Exit {
  readonly exitCode?: number;
  readonly signal?: number;
  /** Killed by the cgroup: OUT_OF_MEMORY. */
  readonly outOfMemory?: boolean;
}

/** One attempt that runs now. */
export interface RunningAttempt {
  /** `123` or `95_1`. */
  readonly jobId: string;
  readonly recordId: number;
  readonly restartCount: number;
  readonly name: string;
  readonly user: string;
  readonly comment: string;
  readonly nodes: readonly string[];
  readonly gpusPerNode: number;
  readonly startAt: Instant;
  /** As sbatch was told; patterns not expanded. Absent: `slurm-%j.out` in the work directory. */
  readonly output?: string;
  readonly error?: string;
  readonly workDir: string;
  /** The batch script ends now. Nothing happens when the attempt is over already. */
  exit(how: Exit): void;
}

/** What a job does, told of what happens to it. */
export interface Program {
  /** SIGTERM reaches it (cancel, requeue, preemption, time limit). Gives how many ms it goes on: SIGKILL comes after KillWait. */
  terminated?(at: Instant): number;
  suspended?(at: Instant): void;
  resumed?(at: Instant): void;
  /** Nothing of it runs any more, whatever Slurm believes. */
  gone?(at: Instant): void;
}

export type StartProgram = (attempt: RunningAttempt) => Program | undefined;

/** How a command ended for the person who typed it. */
export interface Answered {
  readonly rc: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Who asks, and by which clock: the caller's own may be wrong. */
export interface Caller {
  /** Default `root`. */
  readonly user?: string;
  readonly clock: Clock;
  /** The level of the fence file on the caller's disk, as `readFence` of the command child. */
  readonly readFence: () => FenceLevel | undefined;
  /** …and what people have stopped, as its `whyStopped`. */
  readonly whyStopped: () => string | undefined;
}

export interface SimSlurm {
  /** The contract of `apps/sac/src/slurm/slurm.ts`. `look` is shared and cheap while nothing changes; `apply` runs the real `send`. */
  slurmFor(caller: Caller): Slurm;
  /** The programs squeue, sinfo, scontrol and scancel, with their text and their words: for `createCommandSlurm`'s parts. */
  runnerFor(caller: Pick<Caller, "user" | "clock">): Runner;

  /** Gives the job ID (an array's, a leader's). @throws a `Refusal` `invalid` with sbatch's words. */
  submit(spec: SubmitSpec): string;
  /**
   * A person at a terminal: `scontrol hold 12`, `scontrol update JobId=12 ExcNodeList=n1`, `scontrol update NodeName=n1 State=DOWN
   * Reason=x`, `scancel 12`, `scontrol requeue 12` … answered at once. While slurmctld is down or paused it fails without effect.
   */
  type(user: string, program: "scontrol" | "scancel", ...args: string[]): Answered;

  readonly site: Site;
  readonly troubles: Troubles;

  /** Does what is due up to this instant, in order. */
  advance(to: Instant): void;
  /** When something next happens by itself. Absent: never, unless somebody does something. */
  nextAt(): Instant | undefined;

  /** Told each event as it is written; the same object later says whether it survived. */
  onEvent(listener: (event: SlurmEvent) => void): void;
  history(): readonly SlurmEvent[];
  /** Grows with every change that a look could show. */
  revision(): number;
  /** The truth about one job, for checkers; `undefined` when slurmctld has no record of it. */
  job(jobId: string): JobTruth | undefined;
  jobs(): readonly JobTruth[];
}

export interface JobTruth {
  readonly jobId: string;
  readonly recordId: number;
  readonly user: string;
  readonly state: string;
  readonly restartCount: number;
  readonly submitAt: Instant;
  readonly priority: number;
  /** Who laid the hold, as only `squeue --json` and we know. Absent: not held. */
  readonly hold?: "user" | "admin" | "launch" | "constraints";
  readonly nodes: readonly string[];
  readonly excludedNodes: readonly string[];
  readonly adminComment: string;
  readonly dependency: string;
  readonly beginAt: Instant;
  readonly arrayJobId?: number;
  /** The leader's, for each component. */
  readonly hetJobId?: number;
}

/** The hardware, and what breaks in it. */
export interface Site {
  /** Its slurmd and all processes die. Slurm is told at once, or with `silent` finds out after about SlurmdTimeout. */
  nodeLost(name: string, options?: { readonly silent?: boolean }): void;
  /** Its slurmd is there again. A node that was set DOWN also needs `type("root", "scontrol", "update", "NodeName=…", "State=RESUME")`. */
  nodeBack(name: string): void;
  /** The next `times` starts on this node fail in the prolog: the node drains, the job is held again. */
  failProlog(name: string, times?: number): void;
  /** The next `times` ends on this node fail in the epilog: the node drains. */
  failEpilog(name: string, times?: number): void;
}

/** What goes wrong between Slurm and those who ask it. */
export interface Troubles {
  /** kill -9 of slurmctld and a new one: all that was done in the last `losesMs` (at most `saveWaitMs`; default: by chance) is forgotten. */
  crash(losesMs?: number): void;
  /** In order: everything is kept. Until `up`, every request fails after 9 s of the caller's clock. */
  down(): void;
  up(): void;
  /** In order, with its clients: another release from the next start on. */
  upgrade(release: string): void;
  /** It takes requests and answers nothing; at `resume` it does all that it was asked, also by those who no longer wait. */
  pause(): void;
  resume(): void;
  /** Every answer comes so late; it shows what was true when the request was taken. 0: as usual. */
  slow(answerMs: number): void;
  /** The answer of the next command that would change something is lost; `applied`: it was carried out first. */
  loseNextAnswer(how: "applied" | "not-applied"): void;
  /** Until `clear`: rows of these jobs cannot be read, or show this word as their state. */
  garble(jobId: string, how: { readonly kind: "unreadable" } | { readonly kind: "state"; readonly word: string }): void;
  /** Until `clear`: every listing ends early and says nothing about it (rc 0). */
  cutListings(): void;
  /** Ends garbling, cutting and slowness, forgets a pending lost answer, brings slurmctld back. */
  clear(): void;
}

export type SlurmEventKind =
  | "submitted"
  | "started"
  /** The batch script is over, or SIGTERM was sent; some processes may live. */
  | "completing"
  /** The attempt reached a final state. */
  | "ended"
  | "requeued"
  | "held"
  | "released"
  | "updated"
  | "cancelled"
  | "suspended"
  | "resumed"
  | "dependency-failed"
  | "refused"
  | "purged"
  | "node"
  | "crashed"
  | "down"
  | "up";

export interface SlurmEvent {
  readonly seq: number;
  readonly at: Instant;
  readonly kind: SlurmEventKind;
  /** Absent for what concerns no job. */
  readonly jobId?: string;
  /** Of a component that another one leads: that one. What is done to the leader is done to it as well. */
  readonly ledBy?: string;
  /** The restart count after the event. */
  readonly restartCount?: number;
  /** The user whose command it was; `slurm` for what Slurm does by itself. */
  readonly by: string;
  /** A state, a node, a key that was updated, words of a refusal. */
  readonly detail: string;
  readonly nodes?: readonly string[];
  /** False once a crash has made slurmctld forget it. What a program did in the world stays done. */
  survived: boolean;
}
