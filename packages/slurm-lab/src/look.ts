/**
 * look: reads the lab's Slurm, and waits by looking again. (SAC has its own reader, with its own care.)
 *
 * Gives   jobs and nodes as values; undefined when slurmctld did not answer or does not know the job.
 * Bound   a wait looks every `lookEveryMs` and ends after its limit with a `LabRefusal` that says what was waited for.
 */
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Controller } from "./backup.ts";
import { LabRefusal } from "./lab-options.ts";
import type { Ran, RunOptions } from "./run.ts";

export type RunHere = (program: string, args: readonly string[], options?: Omit<RunOptions, "env">) => Promise<Ran>;

/** Looks until the answer is neither undefined nor false, and gives it. Default limit 30 000 ms. */
export type WaitUntil = <T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs?: number,
) => Promise<T>;

export interface Waits {
  readonly waitUntil: WaitUntil;
  /** A backup answers while it stands by, too. */
  controllerAnswers(which?: Controller): Promise<void>;
  /** Every node can take jobs. */
  nodesReady(): Promise<void>;
}

const lookEveryMs = 50;
const readyWithinMs = 60_000;

export interface WaitDeps {
  readonly nodes: readonly string[];
  readonly run: RunHere;
  /** Whether slurmctld runs at all: one that ended at its start is not waited for. */
  readonly controllerLives: () => boolean;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

export function createWaits({ nodes, run, controllerLives, clock, signal }: WaitDeps): Waits {
  const waitUntil: WaitUntil = async (what, look, withinMs = 30_000) => {
    for (const since = clock.now(); ; await clock.sleep(lookEveryMs, signal)) {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
      if (signal?.aborted === true) throw new LabRefusal("unavailable", `stopped while waiting until ${what}`);
      if (clock.now() - since > withinMs)
        throw new LabRefusal("unavailable", `waited ${withinMs} ms in vain until ${what}`);
    }
  };
  return {
    waitUntil,
    async controllerAnswers(which = "primary") {
      let goneFor = 0;
      const answers = async () => {
        goneFor = controllerLives() ? 0 : goneFor + 1; // A single look may miss a process that forks into the background just then.
        if (goneFor > 2) throw new LabRefusal("unavailable", "slurmctld ended at its start");
        const { stdout } = await run("scontrol", ["ping"], { limitMs: 2_000 });
        return stdout.split("\n").some((line) => line.includes(`(${which})`) && line.endsWith("is UP"));
      };
      await waitUntil("slurmctld answers", answers, readyWithinMs);
    },
    async nodesReady() {
      const ready = async () => {
        const states = await lookAtNodes(run);
        return nodes.every((name) => /^(idle|mix|alloc)$/.test(states?.get(name) ?? ""));
      };
      await waitUntil("all nodes are ready", ready, readyWithinMs);
    },
  };
}

export interface LabJob {
  readonly jobId: string;
  readonly state: string;
  readonly reason: string;
  readonly restarts: number;
  /** Slurm's expression, such as `n[1-2]`; empty while pending. */
  readonly nodes: string;
  readonly excluded: string;
  /** 0: held. */
  readonly priority: number;
  /** `exit:signal`. */
  readonly exitCode: string;
}

/**
 * From `scontrol -o show job`: `JobId=12 JobName=… JobState=RUNNING Reason=None … Restarts=0 … ExcNodeList=n3 NodeList=n[1-2] …`.
 * Not from `squeue -O`: on 22.05 its ExcNodes is always empty.
 */
export async function lookAtJob(run: RunHere, jobId: string): Promise<LabJob | undefined> {
  const { code, stdout } = await run("scontrol", ["-o", "show", "job", jobId]);
  if (code !== 0) return undefined;
  const field = (name: string) => {
    const value = new RegExp(` ${name}=(\\S*)`).exec(stdout)?.[1] ?? "";
    return value === "(null)" ? "" : value;
  };
  return {
    jobId,
    state: field("JobState"),
    reason: field("Reason"),
    restarts: Number(field("Restarts")),
    nodes: field("NodeList"),
    excluded: field("ExcNodeList"),
    priority: Number(field("Priority")),
    exitCode: field("ExitCode"),
  };
}

/** Node name → Slurm's short state word, such as `idle`, `mix`, `alloc`, `down*`. */
export async function lookAtNodes(run: RunHere): Promise<ReadonlyMap<string, string> | undefined> {
  const { code, stdout } = await run("sinfo", ["-h", "-N", "-o", "%n %t"]);
  if (code !== 0) return undefined;
  return new Map(
    stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(" ") as [string, string]),
  );
}
