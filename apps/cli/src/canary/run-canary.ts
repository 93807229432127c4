/**
 * run-canary: submits the job of a canary, follows it until it is judged, and cleans up after it.
 *
 * In the loop   look (Slurm, API) → judge → tell; again every `lookEveryMs`
 * Keeps         whatever happens, also on Ctrl-C: its job is not left running, and its Advice not open for a day.
 * Bound         `limitMs` after the job was submitted.
 */
import { rmSync } from "node:fs";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Client } from "../client.ts";
import { Failure } from "../failure.ts";
import type { WireExplain } from "../wire.ts";
import { type CanaryAsked, canaryScript, outputOf } from "./canary-job.ts";
import type { CanarySlurm } from "./canary-slurm.ts";
import { type CanaryProgress, type CanarySeen, judge } from "./judge.ts";
import { adviceOf } from "./until-advice.ts";

export interface CanaryDeps {
  readonly clock: Clock;
  /** Aborted: it is judged at once by what was seen, and cleaned up. */
  readonly signal: AbortSignal;
  readonly slurm: CanarySlurm;
  readonly client: Pick<Client, "get" | "post">;
  /** After every look. */
  tell(progress: CanaryProgress): void;
  note(text: string): void;
}

export interface CanaryEnd extends CanaryProgress {
  readonly jobId: string;
  readonly output: string;
}

const lookEveryMs = 500;

export async function runCanary(asked: CanaryAsked, limitMs: number, deps: CanaryDeps): Promise<CanaryEnd> {
  const { clock, signal, slurm, client, tell, note } = deps;
  // Who may not read is told so before a job is submitted.
  await client.get("/v1/jobs", { limit: 1 }, "the jobs");
  const submittedAt = clock.now();
  const jobId = await slurm.submit(asked, canaryScript);
  const output = outputOf(asked);
  note(`job ${jobId} submitted to partition ${asked.partition}; its output is in ${output}`);
  let seen: CanarySeen = { jobId, partition: asked.partition, output, submittedAt, isTimeUp: false };
  let progress = judge(seen);
  try {
    while (progress.outcome === "running") {
      await clock.sleep(lookEveryMs, signal);
      const isTimeUp = signal.aborted || clock.now() - submittedAt >= limitMs;
      seen = { ...(await look(seen, deps)), isTimeUp };
      progress = judge(seen);
      tell(progress);
    }
  } finally {
    await slurm.cancel(jobId, asked.mark);
    await withdraw(seen, deps);
  }
  if (progress.outcome !== "failed") rmSync(output, { force: true });
  return { ...progress, jobId, output };
}

async function look(before: CanarySeen, { slurm, client }: CanaryDeps): Promise<CanarySeen> {
  const { serverSays: _, slurmSays: __, ...rest } = before;
  const sight = await slurm.look(before.jobId);
  const seen = sight.kind === "found" ? { ...rest, slurm: sight.value } : { ...rest, slurmSays: sight.why };
  try {
    const explain = await client.get<WireExplain>(
      `/reprise/v1/jobs/${before.jobId}/explain`,
      {},
      `job ${before.jobId}`,
    );
    return { ...seen, explain };
  } catch (error) {
    if (error instanceof Failure) return { ...seen, serverSays: error.message };
    throw error;
  }
}

/** Else it would be carried out when somebody lets SAC act within the day. */
async function withdraw(seen: CanarySeen, { client, note }: CanaryDeps): Promise<void> {
  const open = adviceOf(seen);
  if (open?.active !== true || open.heimdallJobId === undefined) return;
  try {
    const order = { reason: "the canary is over", generation: open.generation };
    await client.post(`/reprise/v1/advice/${open.heimdallJobId}:withdraw`, order, `job ${seen.jobId}`);
    note("its open Advice was withdrawn");
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    note(`its Advice is still open, and was not withdrawn: ${error.message}. It expires within a day`);
  }
}
