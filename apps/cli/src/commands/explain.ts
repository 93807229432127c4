/** explain: the whole story of one scheduler job, or of one of its attempts. */
import type { Command } from "commander";
import { addClientFlags, type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderExplain } from "../render/explain.ts";
import { viewOf } from "../render/view.ts";
import { attemptFlag, clusterFlag, storyOf, type StoryOptions } from "./listing.ts";

type Options = ClientOptions & StoryOptions;

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .argument("<job>", "Slurm's job ID, such as 12345 or 95_1")
    .addOption(attemptFlag("only this attempt, counted from 0"))
    .addOption(clusterFlag())
    .action((jobId: string, options: Options) => explain(jobId, options, console));
}

async function explain(jobId: string, options: Options, console: Console): Promise<void> {
  const answer = await storyOf(createClient(options, console), jobId, options);
  console.out(
    options.json === true ? `${JSON.stringify(answer, undefined, 2)}\n` : renderExplain(answer, viewOf(console)),
  );
}
