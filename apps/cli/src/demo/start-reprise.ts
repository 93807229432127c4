/**
 * start-reprise: `reprise up` as a child of the demo, of a test or of a benchmark.
 *
 * Gives   where it listens, once it does; how to end it. Its own words go to `logFile`.
 * Keeps   it ends by itself when its starter is gone.
 * Fails   as `ready-child.ts`
 */
import { fileURLToPath } from "node:url";
import type { ServerReady } from "@reprise/server/config.ts";
import { type ReadyChild, startReadyChild } from "./ready-child.ts";

export interface RepriseOptions {
  readonly dataDir: string;
  /** PATH, SLURM_CONF and whatever else it shall see. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Flags after `up`, beside the data folder and the free ports. */
  readonly flags: readonly string[];
  readonly logFile: string;
}

export type RunningReprise = ReadyChild<ServerReady>;

const freePorts = ["--http-port", "0", "--grpc-port", "0", "--internal-http-port", "0", "--internal-grpc-port", "0"];
const program = fileURLToPath(new URL("../main.ts", import.meta.url));
const stopLimitMs = 20_000;

export function startReprise({ dataDir, env, flags, logFile }: RepriseOptions): Promise<RunningReprise> {
  const args = [program, "up", "--data", dataDir, ...freePorts, ...flags];
  return startReadyChild<ServerReady>({ what: "Reprise", args, env, logFile, tie: "ipc", stopLimitMs });
}
