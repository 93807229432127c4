/**
 * kept-sac: a controller beside a Reprise that has none of its own (`--scheduler none`), started again each time it dies.
 *
 * Keeps   at most one at a time; it ends with `stop`, or with the test.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { limits } from "@reprise/core/limits.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { type Child, startChild } from "@reprise/runtime/processes.ts";
import type { SacConfig } from "@reprise/sac/config.ts";
import type { DyingSac, Fuse } from "./dying-sac.ts";
import type { World } from "./world.ts";

export interface KeptSac {
  readonly stateDir: string;
  /** How often it has died. */
  deaths(): number;
  /** At once and for good. */
  killForGood(): void;
  /** It stands still between two instructions, as in a virtual machine that is moved. */
  pause(): void;
  resume(): void;
  /** What it has logged, as JSON lines. */
  readonly logFile: string;
  stop(): Promise<void>;
}

export interface KeptSacOptions {
  /** Of its state folder, beside the other parts' data. */
  readonly name: string;
  readonly fuses?: Readonly<Record<string, Fuse>>;
  /** As in `SacConfig`. */
  readonly stepsTogetherMax?: number;
}

const program = fileURLToPath(new URL("dying-sac.ts", import.meta.url));

export function keepSac(world: World, { name, fuses = {}, ...more }: KeptSacOptions): KeptSac {
  const { internalGrpc, tokenFile } = world.reprise().ready;
  const stateDir = join(world.dataDir, name);
  const blownDir = join(stateDir, "blown");
  mkdirSync(blownDir, { recursive: true, mode: 0o700 });
  const config: SacConfig = {
    server: internalGrpc,
    tokenFile,
    stateDir,
    mode: "act",
    partitions: ["gpu"],
    slurmReleases: [],
    skipRequeueDelay: true,
    restartsPerMinuteMax: 1_000,
    pollMs: 1_000,
    requireWatchdog: false,
    failOpenAfterMs: limits.failOpenAfterMs,
    serverGraceMs: limits.serverGraceMs,
    ...more,
  };
  process.env["NODE_COMPILE_CACHE"] = join(world.dataDir, "compile-cache"); // A start takes half as long.
  const firstMessage: DyingSac = { config, env: world.lab.env, fuses, blownDir };
  let child: Child | undefined;
  let isStopping = false;
  let deaths = 0;
  const logFile = join(world.dataDir, `${name}.log`);
  const send = (signal: NodeJS.Signals) => {
    if (child?.pid === undefined) throw new Error(`${name} does not run: it cannot be sent ${signal}`);
    process.kill(child.pid, signal);
  };
  const run = async () => {
    while (!isStopping) {
      const group = { kind: "own" as const, logFile };
      child = startChild({ name: "sac", file: program, args: [], firstMessage, group }, systemClock);
      await child.ended;
      deaths++;
    }
  };
  const ended = run();
  return {
    stateDir,
    deaths: () => deaths,
    killForGood() {
      isStopping = true;
      if (child?.pid !== undefined) process.kill(child.pid, "SIGKILL");
    },
    pause: () => send("SIGSTOP"),
    resume: () => send("SIGCONT"),
    logFile,
    async stop() {
      isStopping = true;
      await child?.stop(5_000);
      await ended;
    },
  };
}
