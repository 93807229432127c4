/** nodes: which nodes are suspected, by what, and until when; `nodes NODE` shows one with all that is said against it. */
import type { Command } from "commander";
import { limits } from "@reprise/core/limits.ts";
import { addClientFlags, type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderNode, renderNodes } from "../render/nodes.ts";
import { viewOf } from "../render/view.ts";
import type { WireNodes } from "../wire-nodes.ts";
import { clusterFlag, limitFlag } from "./listing.ts";

interface Options extends ClientOptions {
  readonly limit: number;
  readonly cluster?: string;
}

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .argument("[node]", "one of them, with its evidence")
    .addOption(limitFlag("how many, the most suspicious first"))
    .addOption(clusterFlag())
    .action((node: string | undefined, options: Options) => nodes(node, options, console));
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
