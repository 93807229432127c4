/**
 * start-reprise: `reprise up` as a child of the demo, of a test or of a benchmark.
 *
 * Gives   where it listens, once it does; how to end it. Its own words go to `logFile`.
 * Fails   `Failure` with its last words when it ends before it is ready.
 * Keeps   it has a process group of its own and is ended by its process ID; it ends by itself when its starter is gone.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ServerReady } from "@reprise/server/config.ts";
import { Failure } from "../failure.ts";
import { firstLine } from "./first-line.ts";

export interface RepriseOptions {
  readonly dataDir: string;
  /** PATH, SLURM_CONF and whatever else it shall see. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Flags after `up`, beside the data folder and the free ports. */
  readonly flags: readonly string[];
  readonly logFile: string;
}

export interface RunningReprise {
  readonly ready: ServerReady;
  readonly pid: number;
  readonly ended: Promise<void>;
  /** SIGTERM, and SIGKILL after ten seconds. Resolves when it is gone. */
  stop(): Promise<void>;
}

const freePorts = ["--http-port", "0", "--grpc-port", "0", "--internal-http-port", "0", "--internal-grpc-port", "0"];
const program = fileURLToPath(new URL("../main.ts", import.meta.url));
const stopLimitMs = 20_000;

export async function startReprise({ dataDir, env, flags, logFile }: RepriseOptions): Promise<RunningReprise> {
  const log = openSync(logFile, "a", 0o600);
  const args = [program, "up", "--data", dataDir, ...freePorts, ...flags];
  const stdio = ["ignore", "pipe", log, "ipc"] as const;
  const child = spawn(process.execPath, args, { env: { ...env }, detached: true, stdio: [...stdio] });
  closeSync(log);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
  const ready = await Promise.race([firstLine(child), ended.then(() => undefined)]);
  if (ready === undefined || child.pid === undefined) {
    throw new Failure("Reprise did not start", { hints: readFileSync(logFile, "utf8").trim().split("\n").slice(-5) });
  }
  return {
    ready: JSON.parse(ready) as ServerReady,
    pid: child.pid,
    ended,
    async stop() {
      child.kill("SIGTERM");
      const limit = AbortSignal.timeout(stopLimitMs);
      limit.addEventListener("abort", () => child.kill("SIGKILL"));
      await ended;
    },
  };
}
