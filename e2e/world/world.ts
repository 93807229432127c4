/**
 * world: a real Slurm and a real Reprise beside it, for one test file.
 *
 * Gives   the lab, where Reprise listens, and ways to look: the API's own answers and Slurm's own words.
 * Keeps   everything is in one private folder and ended by `stop`, by process ID.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { httpGet } from "@reprise/cli/http-get.ts";
import { partPids, type RunningPart } from "@reprise/cli/demo/part-pids.ts";
import { type RunningReprise, startReprise } from "@reprise/cli/demo/start-reprise.ts";
import type { WireAdvice, WireExplain, WireJob, WireStory } from "@reprise/cli/wire.ts";
import { makeWakingLab } from "@reprise/cli/demo/waking-lab.ts";
import { environment } from "@reprise/runtime/environment.ts";
import { readToken } from "@reprise/runtime/token-file.ts";
import { type Lab, startLab } from "@reprise/slurm-lab/lab.ts";
import type { LabOptions } from "@reprise/slurm-lab/lab-options.ts";

export interface World {
  readonly lab: Lab;
  readonly dataDir: string;
  /** Starts Reprise (again); the first start is done by `startWorld`. */
  startReprise(flags?: readonly string[]): Promise<RunningReprise>;
  reprise(): RunningReprise;
  /** A batch job of one shell script on one node, with this comment. */
  submit(script: string, options?: JobOptions): Promise<string>;
  explain(jobId: string): Promise<WireExplain | undefined>;
  attempt(jobId: string, index: number): Promise<WireStory | undefined>;
  advice(jobId: string, index?: number): Promise<WireAdvice | undefined>;
  jobs(jobId: string): Promise<readonly WireJob[]>;
  /** Types of the audit events about a job, newest first. */
  audit(jobId: string): Promise<readonly string[]>;
  /** `JOBID:RESTARTS:STATE:PRIORITY` as Slurm shows the job now. */
  slurm(
    jobId: string,
  ): Promise<
    { state: string; restarts: number; held: boolean; nodes: string; excluded: string; priority: number } | undefined
  >;
  until: Lab["waitUntil"];
  /** Process IDs of one of Reprise's parts in this world. */
  pidsOf(part: RunningPart): number[];
  stop(): Promise<void>;
}

export interface JobOptions {
  readonly comment?: object | string | undefined;
  readonly args?: readonly string[];
  /** Output file, below the shared folder. Default: Slurm's own name there. */
  readonly nodes?: number;
}

export const optIn = (more: object = {}) => ({ recovery: { auto_resume_mode: "requeue", ...more } });
export const eccLine = "[rank0]: RuntimeError: CUDA error: uncorrectable ECC error encountered";

/** Prints a fatal line on the first attempt and stays alive, stuck; later attempts succeed. */
export const stuckOnce = (after = "echo ok") =>
  `if [ "\${SLURM_RESTART_COUNT:-0}" = 0 ]; then echo '${eccLine}' >&2; exec sleep 600; fi; ${after}`;
/** Fails once with an exit code and no explanation. */
export const failsOnce = (after = "echo ok") => `if [ "\${SLURM_RESTART_COUNT:-0}" = 0 ]; then exit 7; fi; ${after}`;

export interface WorldOptions {
  readonly lab?: LabOptions;
  readonly flags?: readonly string[];
  /** Put before PATH for Reprise: a folder with a test's own `scontrol`. Made from the lab, once it runs. */
  readonly path?: (lab: Lab) => string;
  /** More variables for Reprise. */
  readonly env?: Readonly<Record<string, string>>;
}

export const acting = ["--act", "--partitions", "gpu"];

export async function startWorld({
  lab: labOptions,
  flags = acting,
  path,
  env: more = {},
}: WorldOptions = {}): Promise<World> {
  const { dir, jobCompScript } = makeWakingLab();
  const lab = await startLab({ credExpireSeconds: 5, killWaitSeconds: 3, ...labOptions, dir, jobCompScript });
  const dataDir = join(lab.dir, "reprise");
  let running: RunningReprise | undefined;
  const outer = environment();
  const own = path === undefined ? {} : { PATH: `${path(lab)}:${outer["PATH"] ?? ""}` };
  const env = { ...outer, ...lab.env, ...own, ...more };
  const start = async (flagsNow: readonly string[] = flags) => {
    running = await startReprise({ dataDir, env, flags: flagsNow, logFile: join(lab.dir, "reprise.log") });
    return running;
  };
  await start();
  const reprise = () => {
    if (running === undefined) throw new Error("Reprise was never started");
    return running;
  };
  const get = async <T>(path: string): Promise<T | undefined> => {
    const { ready } = reprise();
    try {
      const { status, text } = await httpGet(
        new URL(path, ready.http),
        { authorization: `Bearer ${readToken(ready.tokenFile)}` },
        10_000,
      );
      return status === 200 ? (JSON.parse(text) as T) : undefined;
    } catch {
      return undefined; // Restarting; whoever waits looks again.
    }
  };
  const world: World = {
    lab,
    dataDir,
    startReprise: start,
    reprise,
    async submit(script, { comment = optIn(), args = [], nodes = 1 } = {}) {
      const text = typeof comment === "string" || comment === undefined ? comment : JSON.stringify(comment);
      const own = text === undefined || text === "" ? [] : [`--comment=${text}`];
      return lab.sbatch(`#!/bin/sh\n${script}\n`, [`--nodes=${nodes}`, "--gres=gpu:1", "--requeue", ...own, ...args]);
    },
    explain: (jobId) => get<WireExplain>(`/reprise/v1/jobs/${jobId}/explain`),
    attempt: async (jobId, index) =>
      (await world.explain(jobId))?.attempts?.find((a) => (a.job?.attemptIndex ?? 0) === index),
    advice: async (jobId, index = 0) => (await world.attempt(jobId, index))?.advice?.at(-1),
    jobs: async (jobId) => (await get<{ jobs?: WireJob[] }>(`/v1/jobs/by-scheduler-id/${jobId}`))?.jobs ?? [],
    async audit(jobId) {
      const found = await get<{ items?: { eventType: string }[] }>(`/v1/audit/events?jobId=${jobId}&limit=100`);
      return (found?.items ?? []).map(({ eventType }) => eventType);
    },
    async slurm(jobId) {
      const job = await lab.job(jobId);
      return job === undefined ? undefined : { ...job, held: job.priority === 0 };
    },
    until: lab.waitUntil,
    pidsOf: (part) => partPids(part, lab.env.SLURM_CONF),
    async stop() {
      await running?.stop();
      for (const pid of partPids("watchdog", lab.env.SLURM_CONF)) process.kill(pid, "SIGKILL"); // It outlives `up` while something is held.
      await lab.stop();
      rmSync(lab.dir, { recursive: true, force: true }); // Reprise's data and log were in it too.
    },
  };
  return world;
}

export {
  desiredOf as desired,
  dispositionOf as disposition,
  reasonOf as reason,
  statusOf as stateOf,
} from "@reprise/cli/wire.ts";
