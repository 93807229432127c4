/**
 * nodes: which nodes are suspected, by what, and until when; `nodes NODE` shows one with all that is said against it; `nodes clear NODE`
 * says that it was repaired.
 */
import type { Command } from "commander";
import { limits } from "@reprise/core/limits.ts";
import { addClientFlags, type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderCleared, renderNode, renderNodes } from "../render/nodes.ts";
import { viewOf } from "../render/view.ts";
import type { WireCleared, WireNodes } from "../wire-nodes.ts";
import { clusterFlag, limitFlag, reasonFlag } from "./listing.ts";

interface Options extends ClientOptions {
  readonly limit: number;
  readonly cluster?: string;
}

interface ClearOptions extends ClientOptions {
  readonly cluster?: string;
  readonly reason: string;
}

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .argument("[node]", "one of them, with its evidence")
    .addOption(limitFlag("how many, the most suspicious first"))
    .addOption(clusterFlag())
    .action((node: string | undefined, options: Options) => nodes(node, options, console));
  addClientFlags(
    command
      .command("clear")
      .description("say that a node was repaired: what was said against it counts no more")
      .argument("<node>", "as Slurm names it")
      .addOption(reasonFlag())
      .addOption(clusterFlag())
      .exitOverride(),
  ).action((node: string, _own: unknown, it: Command) => clear(node, it.optsWithGlobals<ClearOptions>(), console));
}

async function nodes(node: string | undefined, options: Options, console: Console): Promise<void> {
  const query = { cluster: options.cluster, node, limit: Math.min(options.limit, limits.pageRowsMax) };
  const what = node === undefined ? "nodes" : `node ${node}`;
  const answer = await createClient(options, console).get<WireNodes>("/reprise/v1/nodes", query, what);
  if (options.json === true) return console.out(`${JSON.stringify(answer, undefined, 2)}\n`);
  const view = viewOf(console);
  const [only] = answer.nodes ?? [];
  console.out(
    node === undefined || only === undefined
      ? renderNodes(answer.nodes ?? [], answer.leftOut ?? 0, view)
      : renderNode(only, view),
  );
}

async function clear(node: string, { cluster, reason, ...options }: ClearOptions, console: Console): Promise<void> {
  const body = { reason, ...(cluster === undefined ? {} : { cluster }) };
  const path = `/reprise/v1/nodes/${encodeURIComponent(node)}/clear`;
  const answer = await createClient(options, console).post<WireCleared>(path, body, `node ${node}`);
  if (options.json === true) return console.out(`${JSON.stringify(answer, undefined, 2)}\n`);
  console.out(renderCleared(answer, viewOf(console)));
}
