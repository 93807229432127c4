/** figures: how often, how fast and how well jobs came back, over the last days. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { addClientFlags, type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderFigures } from "../render/figures.ts";
import { viewOf } from "../render/view.ts";
import type { WireFigures } from "../wire-figures.ts";
import { clusterFlag } from "./listing.ts";

interface Options extends ClientOptions {
  readonly days: number;
  readonly cluster?: string;
  readonly partition?: string;
  readonly workflow?: string;
  readonly manualMinutes?: number;
}

const dayMs = 24 * 3_600_000;
const daysMax = 3_650;

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .addOption(new Option("--days <n>", "of the last days").default(7).argParser(numberTo(daysMax)))
    .addOption(clusterFlag())
    .option("--partition <name>", "only jobs of this partition")
    .option("--workflow <id>", "only this workflow")
    .addOption(
      new Option("--manual-minutes <n>", "how long a person would have taken (60)").argParser(numberTo(7 * 24 * 60)),
    )
    .action((options: Options) => figures(options, console));
}

export const numberTo = (max: number) => (given: string) => {
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(given) || Number(given) > max)
    throw new InvalidArgumentError(`expected a number from 0 to ${max}`);
  return Number(given);
};

async function figures(options: Options, console: Console): Promise<void> {
  const { days, cluster, partition, workflow, manualMinutes } = options;
  const query = {
    from: new Date(console.now() - Math.max(days * dayMs, 1)).toISOString(),
    cluster,
    partition,
    workflowId: workflow,
    manualRestartMinutes: manualMinutes,
  };
  const answer = await createClient(options, console).get<WireFigures>("/reprise/v1/figures", query, "figures");
  if (options.json === true) return console.out(`${JSON.stringify(answer, undefined, 2)}\n`);
  const about = Object.entries({ cluster, partition, workflow }).flatMap(([what, name]) =>
    name === undefined ? [] : [`${what} ${name}`],
  );
  console.out(renderFigures(answer, about, viewOf(console)));
}
