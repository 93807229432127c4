/** stop, go: stops everything new on a cluster within a second, and lets it go on. What is held is let go all the while. See `mode.ts`. */
import type { Command } from "commander";
import { addClientFlags, type ClientOptions } from "../client.ts";
import type { Console } from "../console.ts";
import { clusterFlag, reasonFlag } from "./listing.ts";
import { orderCluster } from "./order-cluster.ts";

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .addOption(reasonFlag())
    .addOption(clusterFlag())
    .action((options: ClientOptions & { readonly reason: string; readonly cluster?: string }) =>
      orderCluster("/reprise/v1/brake", { action: command.name() }, options, console),
    );
}
