/** explain: the whole story of one scheduler job, or of one of its attempts. */
import type { Command } from "commander";
import { addClientFlags, type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderExplain } from "../render/explain.ts";
import { viewOf } from "../render/view.ts";
import type { WireExplain } from "../wire.ts";
import { attemptFlag, clusterFlag } from "./listing.ts";

interface Options extends ClientOptions {
  readonly attempt?: number;
  readonly cluster?: string;
}

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .argument("<job>", "Slurm's job ID, such as 12345 or 95_1")
    .addOption(attemptFlag("only this attempt, counted from 0"))
    .addOption(clusterFlag())
    .action((jobId: string, options: Options) => explain(jobId, options, console));
}

async function explain(jobId: string, options: Options, console: Console): Promise<void> {
  const path = `/reprise/v1/jobs/${encodeURIComponent(jobId)}/explain`;
  const query = { attemptIndex: options.attempt, cluster: options.cluster };
  const what = options.attempt === undefined ? `job ${jobId}` : `job ${jobId}, attempt ${options.attempt}`;
  const answer = await createClient(options, console).get<WireExplain>(path, query, what);
  console.out(
    options.json === true ? `${JSON.stringify(answer, undefined, 2)}\n` : renderExplain(answer, viewOf(console)),
  );
}
