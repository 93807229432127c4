/** advice: lists what recovery wants to happen, or wanted. */
import type { Command } from "commander";
import { addClientFlags, type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderAdvice } from "../render/advice.ts";
import { viewOf } from "../render/view.ts";
import type { WireAdvice } from "../wire.ts";
import { limitFlag } from "./listing.ts";

interface Options extends ClientOptions {
  readonly limit: number;
  readonly active?: boolean;
}

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .addOption(limitFlag())
    .option("--active", "only what is still to be carried out")
    .action((options: Options) => list(options, console));
}

async function list(options: Options, console: Console): Promise<void> {
  const query = { onlyActive: options.active === true };
  const all = await createClient(options, console).list<WireAdvice>("/v1/advice", query, "advice", "page");
  const rows = all.slice(0, options.limit); // The server lists the newest first.
  const leftOut = all.length - rows.length;
  if (options.json === true)
    return console.out(`${JSON.stringify({ advice: rows, count: rows.length, leftOut }, undefined, 2)}\n`);
  console.out(renderAdvice(rows, leftOut, viewOf(console)));
}
