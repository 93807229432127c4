/**
 * doctor: checks this machine, its Slurm, the data folder and what runs.
 *
 * Gives   exit code 0: nothing to do; 3: it works, with losses that are named; 1: something must be mended before recovery works.
 */
import type { Command } from "commander";
import { systemClock } from "@reprise/runtime/clock.ts";
import { addConfigFlags } from "../config-flags.ts";
import { loadConfig } from "../config-load.ts";
import type { Console } from "../console.ts";
import { checkFacts, severityOf } from "../doctor/checks.ts";
import { gatherFacts } from "../doctor/facts.ts";
import { urlOf } from "../own-server.ts";
import { renderDoctor } from "../render/doctor.ts";
import { viewOf } from "../render/view.ts";

const asked = [
  "data",
  "mode",
  "partitions",
  "slurmReleases",
  "watchdogMode",
  "failOpenAfter",
  "serverGrace",
  "requireWatchdog",
  "caFile",
] as const;

export function define(command: Command, console: Console): void {
  addConfigFlags(command, asked)
    .option("--url <url>", "the server to look for (or REPRISE_URL; this machine's)")
    .option("--json", "as JSON")
    .action(async (options: { json?: boolean; url?: string }) => {
      const { values } = loadConfig(command, console);
      const url = options.url ?? (console.env["REPRISE_URL"] || urlOf(values, "external"));
      const checks = checkFacts(await gatherFacts(values, url, systemClock, console));
      console.out(
        options.json === true ? `${JSON.stringify({ checks }, undefined, 2)}\n` : renderDoctor(checks, viewOf(console)),
      );
      process.exitCode = severityOf(checks);
    });
}
