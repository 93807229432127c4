/** figures: how often, how fast and how well jobs came back, over the last days. */
import { type Command, Option } from "commander";
import { createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderFigures } from "../render/figures.ts";
import { viewOf } from "../render/view.ts";
import type { WireFigures } from "../wire-figures.ts";
import { numberTo } from "./listing.ts";
import { addWindowFlags, type WindowOptions, windowQuery } from "./window.ts";

interface Options extends WindowOptions {
  readonly days: number;
}

const dayMs = 24 * 3_600_000;
const daysMax = 3_650;

export function define(command: Command, console: Console): void {
  addWindowFlags(command, new Option("--days <n>", "of the last days").default(7).argParser(numberTo(daysMax))).action(
    (options: Options) => figures(options, console),
  );
}

async function figures(options: Options, console: Console): Promise<void> {
  const { days, cluster, partition, workflow } = options;
  const query = windowQuery(console.now() - Math.max(days * dayMs, 1), options);
  const answer = await createClient(options, console).get<WireFigures>("/reprise/v1/figures", query, "figures");
  if (options.json === true) return console.out(`${JSON.stringify(answer, undefined, 2)}\n`);
  const about = Object.entries({ cluster, partition, workflow }).flatMap(([what, name]) =>
    name === undefined ? [] : [`${what} ${name}`],
  );
  console.out(renderFigures(answer, about, viewOf(console)));
}
