/**
 * run-story: starts Reprise on a Slurm, submits the training job, and follows it until its end.
 *
 * In the loop   look (API, log, files) → chapters → tell; again every `lookEveryMs`
 * Keeps         everything told and proven is read back from outside: the HTTP API, the job's output, its files.
 * Fails         a server that does not answer is looked at again; the limit ends the story with `recovered: false`.
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Environment } from "@reprise/runtime/environment.ts";
import { readToken } from "@reprise/runtime/token-file.ts";
import { newestCheckpoint, parseStepLines, readFaults, readResult } from "@reprise/slurm-lab/training-files.ts";
import { trainingJob } from "@reprise/slurm-lab/training-job.ts";
import { httpGet } from "../http-get.ts";
import { statusOf, type WireExplain, type WireJob } from "../wire.ts";
import type { DemoCluster } from "./cluster.ts";
import type { DemoFlags } from "./demo.ts";
import { detectionOf, flagsOf, paceOf } from "./detection.ts";
import { partPids } from "./part-pids.ts";
import { type DemoResult, resultOf, type Seen } from "./result.ts";
import { startReprise } from "./start-reprise.ts";
import { chapters } from "./story.ts";
import type { Teller } from "./teller.ts";

const lookEveryMs = 250;
const answerWithinMs = 5_000;

export interface StoryDeps {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly tell: Teller;
  readonly env: Environment;
  /** While everything still runs. */
  readonly atEnd: (result: DemoResult) => Promise<void>;
}

export async function runStory(cluster: DemoCluster, flags: DemoFlags, deps: StoryDeps): Promise<DemoResult> {
  const { tell, env, atEnd } = deps;
  tell.note("starting Reprise: server, watcher, SAC, watchdog");
  const logFile = join(cluster.dir, "reprise.log");
  const act = ["--act", "--partitions", cluster.partition, ...flagsOf(flags.fault.kind)];
  const reprise = await startReprise({
    dataDir: join(cluster.dir, "reprise"),
    env: { ...env, ...cluster.env },
    flags: act,
    logFile,
  });
  const { http: url, tokenFile } = reprise.ready;
  const token = readToken(tokenFile);
  if (flags.isOpen) tell.whole(`In a browser, signed in: ${url}/#token=${token}`);
  else tell.note(`the same in a browser: ${url}/ with the token in ${tokenFile}`);
  try {
    const result = await follow(cluster, flags, { url, token }, deps);
    await atEnd(result);
    return result;
  } finally {
    await reprise.stop();
    endWatchdog(cluster);
  }
}

/** It is left running while something is held. Here the whole cluster goes with the job. */
function endWatchdog({ env }: DemoCluster): void {
  for (const pid of partPids("watchdog", env.SLURM_CONF)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

interface Api {
  readonly url: string;
  readonly token: string;
}

async function follow(
  cluster: DemoCluster,
  flags: DemoFlags,
  api: Api,
  { clock, signal, tell }: StoryDeps,
): Promise<DemoResult> {
  const dir = join(cluster.sharedDir, "run");
  mkdirSync(dir, { recursive: true });
  const job = trainingJob({
    dir,
    nodeProgram: process.execPath,
    steps: flags.steps,
    checkpointEvery: 20,
    faults: [flags.fault],
    ...paceOf(flags.fault.kind),
    comment: { recovery: { auto_resume_mode: "requeue", ...detectionOf(flags.fault.kind) } },
  });
  const jobId = await cluster.sbatch(job.script, job.args);
  const since = clock.now();
  const output = job.outputPath.replace("%j", jobId);
  tell.note(`job ${jobId} submitted: 2 nodes, its comment opts in to recovery`);

  let seen: Seen = {
    jobId,
    jobs: [],
    explain: undefined,
    fault: undefined,
    checkpointStep: undefined,
    lastStepBeforeFault: undefined,
    hasResult: false,
    scheduler: cluster.scheduler,
    faultKind: flags.fault.kind,
  };
  while (!signal.aborted && clock.now() - since < flags.limitMs && !isOver(seen)) {
    seen = await look(api, jobId, dir, output, seen);
    tell.chapters(
      chapters({ explain: seen.explain, fault: seen.fault, stepLines: parseStepLines(readText(output)) }),
      since,
      clock.now(),
    );
    await clock.sleep(lookEveryMs, signal);
  }
  return resultOf(seen);
}

async function look(api: Api, jobId: string, dir: string, output: string, before: Seen): Promise<Seen> {
  const explain = (await get<WireExplain>(api, `/reprise/v1/jobs/${jobId}/explain`)) ?? before.explain;
  const jobs = (await get<{ jobs?: WireJob[] }>(api, `/v1/jobs/by-scheduler-id/${jobId}`))?.jobs ?? before.jobs;
  const successorRuns = jobs.some((job) => (job.attemptIndex ?? 0) > 0 && (job.nodes?.length ?? 0) > 0);
  return {
    ...before,
    jobs,
    explain,
    fault: readFaults(dir)[0],
    // The newest file while the failed attempt saves no more and the next one has not started.
    checkpointStep: successorRuns ? before.checkpointStep : newestCheckpoint(dir)?.step,
    lastStepBeforeFault: lastStepOfFirstAttempt(readText(output)) ?? before.lastStepBeforeFault,
    hasResult: readResult(dir) !== undefined,
  };
}

/** Over: the last attempt has ended in both answers (the story is told from one of them), and what Reprise still had to say is said. */
function isOver({ jobs, explain, hasResult, faultKind }: Seen): boolean {
  const state = statusOf(jobs.at(-1));
  if (state === "CANCELLED" || state === "DELETED") return true;
  const isTold = explain?.attempts?.at(-1)?.job?.state?.endsWith("COMPLETED") === true;
  const converged =
    explain?.attempts?.[0]?.advice?.at(-1)?.reconciliationStatus?.disposition?.endsWith("CONVERGED") === true;
  return hasResult && state === "COMPLETED" && isTold && (converged || faultKind === "slow");
}

/** The attempts append to one file, and a restart goes back to its checkpoint: the first attempt ends where the step falls. */
function lastStepOfFirstAttempt(text: string): number | undefined {
  const steps = parseStepLines(text).map((line) => line.step);
  const fallsAt = steps.findIndex((step, i) => i > 0 && step <= (steps[i - 1] ?? 0));
  return fallsAt === -1 ? steps.at(-1) : steps[fallsAt - 1];
}

async function get<T>({ url, token }: Api, path: string): Promise<T | undefined> {
  try {
    const { status, text } = await httpGet(new URL(path, url), { authorization: `Bearer ${token}` }, answerWithinMs);
    return status === 200 ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined; // Not there yet, or restarting: looked at again.
  }
}

const readText = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");
