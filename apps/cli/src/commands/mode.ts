/**
 * mode: what may be done on a cluster. `mode` shows it; `mode observe` and `mode act --partitions a,b` order it, without a restart of any
 * part.
 *
 * Gives   exit code 0 when SAC has taken the order, 3 when it is recorded and SAC has not taken it within `takenWithinMs`.
 */
import { InvalidArgumentError, Option, type Command } from "commander";
import { addClientFlags, type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderMode } from "../render/mode.ts";
import { viewOf } from "../render/view.ts";
import type { WireModeAnswer } from "../wire-mode.ts";
import { clusterFlag, reasonFlag } from "./listing.ts";
import { orderCluster } from "./order-cluster.ts";

interface Options extends ClientOptions {
  readonly cluster?: string;
}

interface OrderOptions extends Options {
  readonly reason: string;
  readonly partitions?: readonly string[];
}

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .addOption(clusterFlag())
    .action((options: Options) => show(options, console));
  addClientFlags(command.command("show").description("as `mode` alone").addOption(clusterFlag()).exitOverride()).action(
    (_own: unknown, it: Command) => show(it.optsWithGlobals<Options>(), console),
  );
  order(command, "observe", "begin nothing new; let go what recovery holds", console);
  order(command, "act", "carry advice out, in some partitions", console).addOption(
    new Option("--partitions <a,b>", "where; all of them must be allowed by SAC's configuration")
      .makeOptionMandatory()
      .argParser(namesIn),
  );
}

function order(command: Command, mode: "observe" | "act", says: string, console: Console): Command {
  const it = command.command(mode).description(says).addOption(reasonFlag()).addOption(clusterFlag()).exitOverride();
  addClientFlags(it).action((_own: unknown, given: Command) => {
    const options = given.optsWithGlobals<OrderOptions>();
    return orderCluster("/reprise/v1/mode", { mode, partitions: options.partitions ?? [] }, options, console);
  });
  return it;
}

async function show(options: Options, console: Console): Promise<void> {
  const answer = await createClient(options, console).get<WireModeAnswer>(
    "/reprise/v1/mode",
    { cluster: options.cluster },
    "the mode",
  );
  console.out(
    options.json === true
      ? `${JSON.stringify(answer, undefined, 2)}\n`
      : renderMode(answer.mode ?? {}, viewOf(console)),
  );
}

function namesIn(given: string): readonly string[] {
  const names = given.split(",");
  if (names.some((name) => name === "" || /\s/.test(name)))
    throw new InvalidArgumentError("expected names of partitions with commas between them");
  return names;
}
