/** window: what those commands have in common that look back over many jobs: of which jobs, since when, and what is assumed. */
import { type Command, Option } from "commander";
import type { Instant } from "@reprise/core/nouns.ts";
import { addClientFlags, type ClientOptions, type Query } from "../client.ts";
import { clusterFlag, numberTo } from "./listing.ts";

export interface WindowOptions extends ClientOptions {
  readonly cluster?: string;
  readonly partition?: string;
  readonly workflow?: string;
  readonly manualMinutes?: number;
}

/** @param since The flag that says from when on; each command has its own. */
export function addWindowFlags(command: Command, since: Option): Command {
  return addClientFlags(command)
    .addOption(since)
    .addOption(clusterFlag())
    .option("--partition <name>", "only jobs of this partition")
    .option("--workflow <id>", "only this workflow")
    .addOption(
      new Option("--manual-minutes <n>", "how long a person would have taken (60)").argParser(numberTo(7 * 24 * 60)),
    );
}

export function windowQuery(from: Instant, { cluster, partition, workflow, manualMinutes }: WindowOptions): Query {
  return {
    from: new Date(from).toISOString(),
    cluster,
    partition,
    workflowId: workflow,
    manualRestartMinutes: manualMinutes,
  };
}
