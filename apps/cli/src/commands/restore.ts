/** restore: brings back what `reprise backup` has saved, into an empty database; with --force into one that is set aside. */
import type { Command } from "commander";
import { resolve } from "node:path";
import { restore } from "@reprise/server/manager/store/backup/back-up.ts";
import { addConfigFlags } from "../config-flags.ts";
import { loadConfig } from "../config-load.ts";
import { serverConfig } from "../config-slices.ts";
import type { Console } from "../console.ts";

export function define(command: Command, console: Console): void {
  addConfigFlags(command, ["data", "databaseUrl"])
    .argument("<file>", "a backup")
    .option("--force", "set aside what the database has now")
    .action(async (file: string, options: { force?: boolean }) => {
      const { values } = loadConfig(command, console);
      const aside = await restore(serverConfig(values), resolve(console.workDir, file), options.force === true);
      const before =
        aside === undefined ? "" : ` What was there before is in ${aside}; remove it when it is not needed.`;
      console.err(`Restored from ${file}.${before} Start the server.\n`);
    });
}
