/**
 * jobs: lists attempts; `jobs show 12345` shows one scheduler job's attempts in full; `jobs override 12345 never|restart|clear
 * --reason …` is what an operator orders about its restarts.
 */
import { Argument, type Command } from "commander";
import { addClientFlags, type Client, type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { Failure } from "../failure.ts";
import { renderJob, renderJobs } from "../render/jobs.ts";
import { viewOf } from "../render/view.ts";
import { renderOrder } from "../render/order.ts";
import type { WireJob, WireOrdered } from "../wire.ts";
import { clusterFlag, limitFlag, newest, reasonFlag, storyOf } from "./listing.ts";

interface ListOptions extends ClientOptions {
  readonly limit: number;
  readonly active?: boolean;
  readonly workflow?: string;
}

interface OverrideOptions extends ClientOptions {
  readonly reason: string;
  readonly cluster?: string;
}

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .addOption(limitFlag())
    .option("--active", "only attempts that have not ended")
    .option("--workflow <id>", "only this workflow")
    .action((options: ListOptions) => list(options, console));
  addClientFlags(
    command.command("show").description("one job, all attempts").argument("<job>", "Slurm's job ID").exitOverride(),
  ).action((jobId: string, _own: unknown, show: Command) =>
    showOne(jobId, show.optsWithGlobals<ClientOptions>(), console),
  );
  addClientFlags(
    command
      .command("override")
      .description("forbid a job's restarts, order one now, or let the rules decide again")
      .argument("<job>", "Slurm's job ID")
      .addArgument(new Argument("<action>", "what is ordered").choices(["never", "restart", "clear"]))
      .addOption(reasonFlag())
      .addOption(clusterFlag())
      .exitOverride(),
  ).action((jobId: string, action: string, _own: unknown, it: Command) =>
    override(jobId, action, it.optsWithGlobals<OverrideOptions>(), console),
  );
}

async function list(options: ListOptions, console: Console): Promise<void> {
  const query = { ...(options.active === true ? { completedJobs: false } : {}), workflowIds: options.workflow };
  const all = await createClient(options, console).list<WireJob>("/v1/jobs", query, "jobs", "pageToken");
  const { rows, leftOut } = newest(all, options.limit);
  if (options.json === true)
    return console.out(`${JSON.stringify({ jobs: rows, count: rows.length, leftOut }, undefined, 2)}\n`);
  console.out(renderJobs(rows, leftOut, viewOf(console)));
}

async function showOne(jobId: string, options: ClientOptions, console: Console): Promise<void> {
  const path = `/v1/jobs/by-scheduler-id/${encodeURIComponent(jobId)}`;
  const client = createClient(options, console);
  const jobs = await client.list<WireJob>(path, {}, "jobs", "page");
  if (jobs.length === 0) {
    throw new Failure(`the server knows no job ${jobId}`, {
      hints: ["`reprise jobs` lists what it knows; a new job appears once SAC has seen it in Slurm."],
    });
  }
  if (options.json === true) return console.out(`${JSON.stringify({ jobs, count: jobs.length }, undefined, 2)}\n`);
  console.out(renderJob(jobs, viewOf(console), await unreadOf(jobs, client)));
}

/** What could not be read of the logs. Only our own servers know it, and only of the newest job with this ID. */
async function unreadOf(jobs: readonly WireJob[], client: Client) {
  const { jobId = "", schedulerMetadata } = jobs.at(-1) ?? {};
  try {
    const { attempts = [] } = await storyOf(client, jobId, { cluster: schedulerMetadata?.slurm?.cluster });
    return new Map(attempts.map(({ job, unreadLogs = [] }) => [job?.heimdallJobId ?? "", unreadLogs]));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

async function override(jobId: string, action: string, options: OverrideOptions, console: Console): Promise<void> {
  const body = {
    action,
    reason: options.reason,
    ...(options.cluster === undefined ? {} : { cluster: options.cluster }),
  };
  const path = `/reprise/v1/jobs/${encodeURIComponent(jobId)}/override`;
  const answer = await createClient(options, console).post<WireOrdered>(path, body, `job ${jobId}`);
  if (options.json === true) return console.out(`${JSON.stringify(answer, undefined, 2)}\n`);
  console.out(renderOrder(jobId, answer, viewOf(console)));
}
