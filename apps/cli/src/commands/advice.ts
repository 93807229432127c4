/** advice: lists what recovery wants to happen, or wanted; `advice withdraw 12345 --reason …` takes it back. */
import type { Command } from "commander";
import { addClientFlags, type ClientOptions, createClient } from "../client.ts";
import { askMode } from "../ask-mode.ts";
import type { Console } from "../console.ts";
import { Failure } from "../failure.ts";
import { renderAdvice } from "../render/advice.ts";
import { alarmsOf } from "../render/mode.ts";
import { renderOrder } from "../render/order.ts";
import { viewOf } from "../render/view.ts";
import type { WireAdvice, WireOrdered } from "../wire.ts";
import { attemptFlag, clusterFlag, limitFlag, reasonFlag, storyOf, type StoryOptions, whichJob } from "./listing.ts";

interface Options extends ClientOptions {
  readonly limit: number;
  readonly active?: boolean;
}

interface WithdrawOptions extends ClientOptions, StoryOptions {
  readonly reason: string;
}

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .addOption(limitFlag())
    .option("--active", "only what is still to be carried out")
    .action((options: Options) => list(options, console));
  addClientFlags(
    command
      .command("withdraw")
      .description("take open advice about a job back")
      .argument("<job>", "Slurm's job ID")
      .addOption(reasonFlag())
      .addOption(attemptFlag("only of this attempt, counted from 0"))
      .addOption(clusterFlag())
      .exitOverride(),
  ).action((jobId: string, _own: unknown, it: Command) =>
    withdraw(jobId, it.optsWithGlobals<WithdrawOptions>(), console),
  );
}

async function list(options: Options, console: Console): Promise<void> {
  const query = { onlyActive: options.active === true };
  const all = await createClient(options, console).list<WireAdvice>("/v1/advice", query, "advice", "page");
  const rows = all.slice(0, options.limit); // The server lists the newest first.
  const leftOut = all.length - rows.length;
  if (options.json === true)
    return console.out(`${JSON.stringify({ advice: rows, count: rows.length, leftOut }, undefined, 2)}\n`);
  const mode = await askMode(options, console);
  const alarms = mode.kind === "found" ? alarmsOf(mode.value, viewOf(console)) : [];
  console.out(renderAdvice(rows, leftOut, viewOf(console), alarms));
}

/** The generation that was seen goes with it: what changed meanwhile is not taken back unseen. */
async function withdraw(jobId: string, options: WithdrawOptions, console: Console): Promise<void> {
  const client = createClient(options, console);
  const what = whichJob(jobId, options);
  const { attempts = [] } = await storyOf(client, jobId, options);
  const open = attempts.flatMap(({ advice = [] }) => advice.at(-1) ?? []).findLast(({ active }) => active === true);
  if (open?.heimdallJobId === undefined)
    throw new Failure(`there is no open advice about ${what}`, {
      hints: [`\`reprise jobs override ${jobId} never --reason …\` forbids restarts from now on.`],
    });
  const answer = await client.post<WireOrdered>(
    `/reprise/v1/advice/${open.heimdallJobId}:withdraw`,
    { reason: options.reason, generation: open.generation },
    what,
  );
  console.out(
    options.json === true ? `${JSON.stringify(answer, undefined, 2)}\n` : renderOrder(jobId, answer, viewOf(console)),
  );
}
