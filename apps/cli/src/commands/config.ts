/** config: prints the settings in force, and where each came from. What cannot be used is said instead, and nothing starts. */
import type { Command } from "commander";
import { addConfigFlags } from "../config-flags.ts";
import { loadConfig } from "../config-load.ts";
import type { Console } from "../console.ts";
import { renderConfig, renderConfigJson } from "../render/config.ts";
import { viewOf } from "../render/view.ts";

export function define(command: Command, console: Console): void {
  addConfigFlags(command)
    .option("--json", "as one JSON object, with what each key means")
    .action((options: { json?: boolean }) => {
      const resolved = loadConfig(command, console);
      console.out(options.json === true ? renderConfigJson(resolved) : renderConfig(resolved, viewOf(console)));
    });
}
