/** explain: the whole story of one scheduler job, or of one of its attempts; `--follow` goes on with what comes to it until Ctrl-C. */
import type { Command } from "commander";
import { systemClock } from "@reprise/runtime/clock.ts";
import { addClientFlags, type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderExplain } from "../render/explain.ts";
import { viewOf } from "../render/view.ts";
import { followStory } from "./follow-story.ts";
import { attemptFlag, clusterFlag, storyOf, type StoryOptions } from "./listing.ts";

type Options = ClientOptions & StoryOptions & { readonly follow?: boolean };

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .argument("<job>", "Slurm's job ID, such as 12345 or 95_1")
    .addOption(attemptFlag("only this attempt, counted from 0"))
    .addOption(clusterFlag())
    .option("--follow", "go on with what is new, until Ctrl-C")
    .action((jobId: string, options: Options) => explain(jobId, options, console));
}

async function explain(jobId: string, options: Options, console: Console): Promise<void> {
  const client = createClient(options, console);
  const look = () => storyOf(client, jobId, options);
  if (options.follow === true) {
    const ended = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => ended.abort());
    return followStory(look, options, console, systemClock, ended.signal);
  }
  const answer = await look();
  console.out(
    options.json === true ? `${JSON.stringify(answer, undefined, 2)}\n` : renderExplain(answer, viewOf(console)),
  );
}
