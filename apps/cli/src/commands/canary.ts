/**
 * canary: proves recovery on one partition of this cluster, with the Reprise that runs: a tiny job fails once, and each step is checked.
 *
 * Gives   exit code 0: nothing failed; what was not proven is named. 1: a step failed, or the canary was stopped.
 * Keeps   nothing but its own job is touched.
 */
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { systemChance } from "@reprise/runtime/chance.ts";
import { type Life, processLife } from "@reprise/runtime/life.ts";
import { createLog } from "@reprise/runtime/log.ts";
import { commandEnvironment } from "@reprise/sac/slurm/command/environment.ts";
import { createRunner } from "@reprise/sac/slurm/command/run.ts";
import type { CanaryAsked } from "../canary/canary-job.ts";
import { type CanarySlurm, createCanarySlurm } from "../canary/canary-slurm.ts";
import { type CanaryEnd, runCanary } from "../canary/run-canary.ts";
import type { CanaryStep } from "../canary/step.ts";
import { untried, watchdogSteps } from "../canary/watchdog-steps.ts";
import { addClientFlags, type ClientOptions, createClient } from "../client.ts";
import { addConfigFlags } from "../config-flags.ts";
import { loadConfig } from "../config-load.ts";
import type { Console } from "../console.ts";
import { readBeats } from "../doctor/machine.ts";
import { readable } from "../failure.ts";
import { ownServerOf } from "../own-server.ts";
import { renderCanaryEnd, renderCanaryStep } from "../render/canary.ts";
import { viewOf } from "../render/view.ts";
import { numberTo } from "./listing.ts";

interface Options extends ClientOptions {
  readonly partition: string;
  readonly folder?: string;
  readonly limit: number;
  readonly failOpen?: boolean;
}

export function define(command: Command, console: Console): void {
  addClientFlags(addConfigFlags(command, ["data"]))
    .requiredOption("--partition <name>", "where to prove it")
    .option("--folder <dir>", "where its output goes, readable by the watcher (this folder)")
    .addOption(
      new Option("--limit <seconds>", "give up so long after it was submitted")
        .default(600)
        .argParser(numberTo(86_400)),
    )
    .option("--fail-open", "hold a second job of the canary's, and see a watchdog of its own let it go")
    .argument("[sbatch...]", "more arguments of sbatch, behind --, such as --account=ops")
    .action(async (sbatchArgs: string[], options: Options) =>
      process.exit(await canary(sbatchArgs, options, command, console)),
    );
}

async function canary(
  sbatchArgs: readonly string[],
  options: Options,
  command: Command,
  console: Console,
): Promise<number> {
  const { values } = loadConfig(command, console);
  const life = processLife(createLog({ name: "canary", level: "warn", isPretty: console.errTerminal.isTty }));
  const client = createClient(options, console, "external", ownServerOf(values, "external"));
  const slurm = createCanarySlurm(createRunner(life.clock), commandEnvironment(console.env));
  const folder = readable("--folder", () => realpathSync(resolve(console.workDir, options.folder ?? ".")));
  const mark = systemChance.uuid().slice(0, 8);
  const view = viewOf(console);
  const tell = teller((step) => (options.json === true ? console.err : console.out)(renderCanaryStep(step, view)));

  const asked = { partition: options.partition, folder, mark, sbatchArgs, optsIn: true };
  const end = await runCanary(asked, options.limit * 1000, {
    clock: life.clock,
    signal: life.signal,
    slurm,
    client,
    tell: ({ steps }) => tell(steps.filter(({ verdict }) => verdict === "ok")),
    note: (text) => console.err(`${view.paint.faint(text)}\n`),
  });
  const stateDir = join(values.data, "sac");
  const seen = [...end.steps, ...watchdogSteps(readBeats(stateDir), stateDir, life.clock.now())];
  tell(seen);
  const isTried = options.failOpen === true && !life.signal.aborted;
  const all = [...seen, isTried ? await failOpen(asked, slurm, life) : untried];
  tell(all);
  console.out(
    options.json === true ? `${JSON.stringify(reportOf(end, all), undefined, 2)}\n` : renderCanaryEnd(end, all, view),
  );
  return all.some(({ verdict }) => verdict === "fail") || life.signal.aborted ? 1 : 0;
}

async function failOpen(asked: CanaryAsked, slurm: CanarySlurm, life: Life): Promise<CanaryStep> {
  const { tryFailOpen } = await import("../canary/fail-open.ts");
  const { main: watchdog } = await import("@reprise/sac/watchdog.main.ts");
  return tryFailOpen({ ...asked, mark: `${asked.mark}-hold`, optsIn: false }, { slurm, life, watchdog });
}

/** Tells each step once. */
function teller(write: (step: CanaryStep) => void): (steps: readonly CanaryStep[]) => void {
  const told = new Set<string>();
  return (steps) => {
    for (const step of steps) {
      if (told.has(step.name)) continue;
      told.add(step.name);
      write(step);
    }
  };
}

/** For programs. */
function reportOf({ jobId, outcome, output }: CanaryEnd, steps: readonly CanaryStep[]) {
  const isPassed = steps.every(({ verdict }) => verdict !== "fail");
  return { passed: isPassed, outcome: isPassed ? outcome : "failed", jobId, output, steps };
}
