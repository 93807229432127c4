/** workflows: lists workflows; `workflows show ID` shows one: its jobs, their attempts and gates, and what recovery did. */
import type { Command } from "commander";
import { addClientFlags, type Client, type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { viewOf } from "../render/view.ts";
import { type ListedWorkflow, nameOf, renderWorkflow, renderWorkflows, type WorkflowJob } from "../render/workflows.ts";
import type { WireExplain, WireJob, WireStory, WireWorkflow } from "../wire.ts";
import { limitFlag, newest, storyOf } from "./listing.ts";

interface Options extends ClientOptions {
  readonly limit: number;
}

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .addOption(limitFlag())
    .action((options: Options) => list(options, console));
  addClientFlags(
    command
      .command("show")
      .description("one workflow: its jobs, what they wait for, what recovery did")
      .argument("<workflow>", "its ID")
      .addOption(limitFlag())
      .exitOverride(),
  ).action((id: string, _own: unknown, it: Command) => showOne(id, it.optsWithGlobals<Options>(), console));
}

/** A request's target has its limit. */
const idsPerCall = 20;

async function list(options: Options, console: Console): Promise<void> {
  const client = createClient(options, console);
  const all = await client.list<WireWorkflow>("/v1/workflows", {}, "workflows", "pageToken");
  const { rows, leftOut } = newest(all, options.limit);
  if (options.json === true)
    return console.out(`${JSON.stringify({ workflows: rows, count: rows.length, leftOut }, undefined, 2)}\n`);
  const attempts = await attemptsOf(
    client,
    rows.flatMap(({ workflowId }) => workflowId ?? []),
  );
  const listed = rows.map((row): ListedWorkflow => ({ ...row, attempts: attempts.get(row.workflowId) ?? [] }));
  console.out(renderWorkflows(listed, leftOut, viewOf(console)));
}

async function attemptsOf(client: Client, workflowIds: readonly string[]) {
  const found: WireJob[] = [];
  for (let i = 0; i < workflowIds.length; i += idsPerCall) {
    const query = { workflowIds: workflowIds.slice(i, i + idsPerCall) };
    found.push(...(await client.list<WireJob>("/v1/jobs", query, "jobs", "pageToken")));
  }
  return Map.groupBy(found, ({ workflowId }) => workflowId);
}

async function showOne(workflowId: string, options: Options, console: Console): Promise<void> {
  const client = createClient(options, console);
  const path = "/v1/workflows:lookup";
  const { workflow } = await client.get<{ workflow: WireWorkflow }>(path, { workflowId }, `workflow ${workflowId}`);
  const attempts = await client.list<WireJob>("/v1/jobs", { workflowIds: workflowId }, "jobs", "pageToken");
  const { rows, leftOut } = newest([...Map.groupBy(attempts, nameOf).values()], options.limit);
  const stories: WireExplain[] = [];
  for (const [first] of rows) {
    const { jobId = "", schedulerMetadata } = first ?? {};
    if (jobId !== "") stories.push(await storyOf(client, jobId, { cluster: schedulerMetadata?.slurm?.cluster }));
  }
  if (options.json === true)
    return console.out(`${JSON.stringify({ workflow, attempts, stories, leftOut }, undefined, 2)}\n`);
  const told = new Map(stories.flatMap((story) => story.attempts ?? []).map((one) => [one.job?.heimdallJobId, one]));
  const jobs = rows.map((own) => jobOf(own, told));
  console.out(renderWorkflow(workflow, jobs, leftOut, viewOf(console)));
}

/** @param told By UUID of the attempt. */
function jobOf(attempts: readonly WireJob[], told: ReadonlyMap<string | undefined, WireStory>): WorkflowJob {
  const { jobId = "", jobName = "" } = attempts.at(-1) ?? {};
  return {
    jobId,
    jobName,
    attempts: attempts.map((job): WireStory => told.get(job.heimdallJobId) ?? { job }),
  };
}
