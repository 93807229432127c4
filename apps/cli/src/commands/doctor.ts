/** doctor: checks this machine, its Slurm and the data folder. Exit code 1 when something must be mended before recovery works. */
import type { Command } from "commander";
import { systemClock } from "@reprise/runtime/clock.ts";
import { addConfigFlags } from "../config-flags.ts";
import { loadConfig } from "../config-load.ts";
import type { Console } from "../console.ts";
import { checkFacts } from "../doctor/checks.ts";
import { gatherFacts } from "../doctor/facts.ts";
import { renderDoctor } from "../render/doctor.ts";
import { viewOf } from "../render/view.ts";

export function define(command: Command, console: Console): void {
  addConfigFlags(command, ["data"])
    .option("--url <url>", "a server whose clock to compare (or REPRISE_URL; this machine's)")
    .option("--json", "as JSON")
    .action(async (options: { json?: boolean; url?: string }) => {
      const { values } = loadConfig(command, console);
      const url = options.url ?? (console.env["REPRISE_URL"] || `http://127.0.0.1:${values.httpPort}`);
      const checks = checkFacts(await gatherFacts(values.data, url, systemClock, console));
      console.out(
        options.json === true ? `${JSON.stringify({ checks }, undefined, 2)}\n` : renderDoctor(checks, viewOf(console)),
      );
      process.exitCode = checks.some(({ verdict }) => verdict === "fail") ? 1 : 0;
    });
}
