/** shadow: what would have been done to jobs that were only observed, when, and what really happened to them. */
import { type Command, Option } from "commander";
import { addClientFlags, type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderShadow } from "../render/shadow.ts";
import { viewOf } from "../render/view.ts";
import type { WireShadow } from "../wire-shadow.ts";
import { numberTo } from "./figures.ts";
import { clusterFlag } from "./listing.ts";
import { parseLife } from "./token.ts";

interface Options extends ClientOptions {
  readonly since: number;
  readonly cluster?: string;
  readonly partition?: string;
  readonly workflow?: string;
  readonly manualMinutes?: number;
}

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .addOption(
      new Option("--since <duration>", "of so long, such as 36h or 7d")
        .default(7 * 86_400_000, "7d")
        .argParser(parseLife),
    )
    .addOption(clusterFlag())
    .option("--partition <name>", "only jobs of this partition")
    .option("--workflow <id>", "only this workflow")
    .addOption(
      new Option("--manual-minutes <n>", "how long a person would have taken (60)").argParser(numberTo(7 * 24 * 60)),
    )
    .action((options: Options) => shadow(options, console));
}

async function shadow(options: Options, console: Console): Promise<void> {
  const { since, cluster, partition, workflow, manualMinutes } = options;
  const query = {
    from: new Date(console.now() - since).toISOString(),
    cluster,
    partition,
    workflowId: workflow,
    manualRestartMinutes: manualMinutes,
  };
  const answer = await createClient(options, console).get<WireShadow>(
    "/reprise/v1/shadow",
    query,
    "what would have been",
  );
  console.out(
    options.json === true ? `${JSON.stringify(answer, undefined, 2)}\n` : renderShadow(answer, viewOf(console)),
  );
}
