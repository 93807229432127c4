/** backup: everything that the server keeps, in one file: the embedded database with its server stopped, a PostgreSQL at any time. */
import type { Command } from "commander";
import { resolve } from "node:path";
import { backUp } from "@reprise/server/manager/store/backup/back-up.ts";
import { addConfigFlags } from "../config-flags.ts";
import { loadConfig } from "../config-load.ts";
import { serverConfig } from "../config-slices.ts";
import type { Console } from "../console.ts";

export function define(command: Command, console: Console): void {
  addConfigFlags(command, ["data", "databaseUrl"])
    .argument("<file>", "where to; it must not be there yet")
    .action(async (file: string) => {
      const { values } = loadConfig(command, console);
      await backUp(serverConfig(values), resolve(console.workDir, file));
      console.err(`Saved as ${file}. It is as secret as the database. SAC's journal is not in it.\n`);
    });
}
