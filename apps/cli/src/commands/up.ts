/**
 * up: the whole of Reprise on this machine: server, watcher, SAC and watchdog, each a process of its own.
 *
 * Gives   exactly one line on stdout, when everything listens: `{"ready": true, "http": …, "grpc": …, "internalHttp": …,
 *         "internalGrpc": …, "tokenFile": …}`. Everything else is on stderr. Runs until Ctrl-C or SIGTERM.
 * Keeps   Observe mode unless `--act --partitions a,b`.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { type Log, processLife } from "@reprise/runtime/life.ts";
import { createLog } from "@reprise/runtime/log.ts";
import { parentOfThisProcess } from "@reprise/runtime/parent.ts";
import type { ServerReady } from "@reprise/server/config.ts";
import { askMode } from "../ask-mode.ts";
import { addConfigFlags } from "../config-flags.ts";
import { loadConfig } from "../config-load.ts";
import type { Config } from "../config-schema.ts";
import { sacConfig, serverConfig, watchdogConfig, watcherConfig } from "../config-slices.ts";
import type { Console } from "../console.ts";
import type { SimulatedSlurm } from "../demo/simulated-slurm.ts";
import { renderUpSummary } from "../render/up-summary.ts";
import { buildPage } from "../up/build-page.ts";
import { type PartState, runStack, type StackPlan } from "../up/stack.ts";

export function define(command: Command, console: Console): void {
  addConfigFlags(command).action(async () => process.exit(await up(command, console)));
}

async function up(command: Command, console: Console): Promise<number> {
  const { values } = loadConfig(command, console);
  mkdirSync(values.data, { recursive: true, mode: 0o700 });
  const isTty = console.errTerminal.isTty;
  const log = createLog({ name: "up", level: values.logLevel, isPretty: isTty });
  const life = processLife(log);
  // A demo, a test or a benchmark that was killed cannot end what it started.
  parentOfThisProcess()?.gone.addEventListener("abort", () => life.stop("whoever started it is gone"));
  const simulated = values.scheduler === "simulated" ? await startSimulated(values, log, console) : undefined;
  await buildPage(log);
  const plan = { ...planOf(values, isTty), ...(simulated === undefined ? {} : { env: simulated.env }) };
  try {
    const ended = await runStack(life, plan, {
      onReady(ready, parts) {
        console.out(`${JSON.stringify({ ready: true, ...ready })}\n`);
        if (isTty) void summarise(ready, parts, values, console);
      },
      onWatchdogLeft(pid, logFile) {
        // What it would release goes with the simulated Slurm.
        if (simulated !== undefined && pid !== undefined) process.kill(pid, "SIGKILL");
        else log.warn({ pid, logFile }, "the watchdog goes on until recovery holds no job any more");
      },
    });
    if (ended === "stopped") return 0;
    console.err("reprise: the server did not start; its own words are above\n");
    return 1;
  } finally {
    await simulated?.stop();
  }
}

async function summarise(ready: ServerReady, parts: readonly PartState[], config: Config, console: Console) {
  const asked = { url: ready.http || ready.internalHttp, tokenFile: ready.tokenFile, ...caOf(config) };
  const mode = await askMode(asked, console);
  const told = { ready, parts, config, ...(mode.kind === "found" ? { mode: mode.value } : {}) };
  console.err(renderUpSummary(told, console.errTerminal));
}

const caOf = ({ caFile, tlsCert }: Config) => {
  const authority = caFile ?? tlsCert;
  return authority === undefined ? {} : { caFile: authority };
};

/** Its jobs and its job IDs are of this run only. */
async function startSimulated({ data }: Config, log: Log, console: Console): Promise<SimulatedSlurm> {
  const { startSimulatedSlurm } = await import("../demo/simulated-slurm.ts");
  const slurm = await startSimulatedSlurm({ dir: join(data, "simulated"), dataDir: data, env: console.env });
  log.warn({ folder: slurm.binDir }, "Slurm is simulated: sbatch, squeue and scontrol for it are in this folder");
  return slurm;
}

function planOf(values: Config, isPretty: boolean): StackPlan {
  const plan = {
    program: fileURLToPath(new URL("../main.ts", import.meta.url)),
    server: serverConfig(values),
    watcher: (server: string) => watcherConfig(values, server),
    log: { logLevel: values.logLevel, isPretty },
  };
  if (values.scheduler === "none") return plan;
  return {
    ...plan,
    sac: (server) => sacConfig(values, server),
    watchdog: { config: watchdogConfig(values), logFile: join(values.data, "watchdog.log") },
  };
}
