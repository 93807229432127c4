/** shadow: what would have been done to jobs that were only observed, when, and what really happened to them. */
import { type Command, Option } from "commander";
import { createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderShadow } from "../render/shadow.ts";
import { viewOf } from "../render/view.ts";
import type { WireShadow } from "../wire-shadow.ts";
import { readSpan } from "./listing.ts";
import { addWindowFlags, type WindowOptions, windowQuery } from "./window.ts";

interface Options extends WindowOptions {
  readonly since: number;
}

export function define(command: Command, console: Console): void {
  const since = new Option("--since <duration>", "of so long, such as 36h or 7d")
    .default(7 * 86_400_000, "7d")
    .argParser(readSpan);
  addWindowFlags(command, since).action((options: Options) => shadow(options, console));
}

async function shadow(options: Options, console: Console): Promise<void> {
  const query = windowQuery(console.now() - options.since, options);
  const answer = await createClient(options, console).get<WireShadow>(
    "/reprise/v1/shadow",
    query,
    "what would have been",
  );
  console.out(
    options.json === true ? `${JSON.stringify(answer, undefined, 2)}\n` : renderShadow(answer, viewOf(console)),
  );
}
