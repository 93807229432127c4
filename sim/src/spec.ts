/**
 * spec: what a world is made of, before anything happens in it. Drawn from a seed (`draw-world.ts`), or written by a scenario.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { DatabaseFaults } from "./database.ts";
import type { LogFaults } from "./logs.ts";
import type { NetworkFaults } from "./network.ts";
import type { NodeSpec, PartitionSpec, SimSettings, SubmitSpec } from "./slurm/sim-slurm.ts";
import type { TrainingPlan } from "./training.ts";

export interface JobSpec {
  /** Since the world began (ms). */
  readonly afterMs: number;
  readonly submit: SubmitSpec;
  /** Absent: a job that only runs. */
  readonly plan?: TrainingPlan;
}

export interface ReprisePlan {
  readonly mode: "observe" | "act";
  readonly watchdogMode: "observe" | "act";
  readonly partitions: readonly string[];
  readonly failOpenAfterMs: number;
  readonly skipRequeueDelay: boolean;
  /** Absent: the default. */
  readonly restartsPerMinuteMax?: number;
  /** Releases of Slurm that nobody has tried, and that are allowed. Absent: none. */
  readonly slurmReleases?: readonly string[];
  /** A second SAC, on another host, with a state folder of its own. */
  readonly hasSecondSac: boolean;
  readonly watchers: number;
  /** What kernels say lies in nodes' own logs, and the watchers read them. */
  readonly nodeLogs: boolean;
  /** People are told by webhook. Absent: nobody is. */
  readonly tells?: boolean;
  /** Idle waits may grow to these (ms); the real intervals where absent. */
  readonly idleMaxMs?: IdleMax;
}

export interface IdleMax {
  readonly sac: number;
  readonly watchdog: number;
  readonly claim: number;
  /** Of SAC while a step waits for what Slurm shows. */
  readonly busy: number;
  readonly tail: number;
  readonly decide: number;
  /** Of SAC, the watchdog and the reading of logs while nothing is under way. */
  readonly calm: number;
}

/** Who may be killed, paused or set back. */
export type Role = "server" | "sac" | "watchdog" | "watcher";

/** `sac-b` is a SAC, `watcher-2` a watcher. */
export const kindOf = (role: string): Role => role.split("-")[0] as Role;

/** What goes wrong around us. Everything absent or zero: nothing. Mean times are between two of a kind (ms); 0: never. */
export interface FaultPlan {
  readonly network: NetworkFaults;
  readonly database: DatabaseFaults;
  readonly logs: LogFaults;
  /** The way of one client to the server is cut for a while. */
  readonly partitionEveryMs: number;
  readonly killEveryMs: Readonly<Record<Role, number>>;
  readonly pauseEveryMs: number;
  /** When something is under way: a kill at one of the next boundaries, with this probability at each such moment. */
  readonly killUnderWay: number;
  readonly hostCrashEveryMs: number;
  readonly diskFullEveryMs: number;
  readonly clockStepEveryMs: number;
  /** How far the clock of a server, a watcher or a SAC may be ahead or behind (ms). */
  readonly clockStepMaxMs: number;
  readonly slurmCrashEveryMs: number;
  readonly slurmDownEveryMs: number;
  readonly slurmPauseEveryMs: number;
  readonly slurmSlowEveryMs: number;
  readonly slurmGarbleEveryMs: number;
  readonly slurmCutEveryMs: number;
  /** Of each command of ours. */
  readonly loseCommandAnswer: number;
  /** Of each hint that Slurm's jobcomp script gives. */
  readonly loseWake: number;
  readonly peopleEveryMs: number;
  /** Of each command of ours: somebody acts on that job between our plan and the command's last look. */
  readonly peopleAtOnce: number;
  /** The people who act, and of them only these. */
  readonly people: readonly PeopleAct[];
  readonly prologEveryMs: number;
  /** The power, or the network, of the whole cluster. */
  readonly clusterLossEveryMs: number;
  readonly logTruncatedEveryMs: number;
}

export const peopleActs = [
  "scancel",
  "hold",
  "admin-hold",
  "release",
  "requeue",
  "requeuehold",
  "update-exclude",
  "suspend",
  "edit-comment",
  "drain",
  "node-down",
  "kill-switch",
  "order-never",
  "order-restart",
  "order-withdraw",
  "order-observe",
  "order-fewer-partitions",
  "order-stop",
  "clear-node",
] as const;
export type PeopleAct = (typeof peopleActs)[number];

/** Of Slurm. On the last one recovery was not tried: it observes there. */
export const drawnReleases = ["22.05", "25.11", "26.05", "27.05"] as const;
export type Release = (typeof drawnReleases)[number];

export interface WorldSpec {
  readonly begunAt: Instant;
  readonly nodes: readonly NodeSpec[];
  readonly lemons: readonly string[];
  readonly partitions: readonly PartitionSpec[];
  readonly settings: Partial<SimSettings>;
  readonly jobs: readonly JobSpec[];
  readonly reprise: ReprisePlan;
  readonly faults: FaultPlan;
  /** How long the safety phase lasts. */
  readonly safetyMs: number;
}
