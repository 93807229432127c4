/**
 * product: what is measured: the server as an operator runs it, in a process of its own; and what it is compared with.
 *
 * Keeps   free ports, a folder of its own, and no token: what is measured is the API, not who may call it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ServerReady } from "@reprise/server/config.ts";

export interface Running {
  readonly ready: ServerReady;
  readonly pid: number;
  stop(): Promise<void>;
}

const program = fileURLToPath(import.meta.resolve("@reprise/cli/main.ts"));
const staticAnswer = fileURLToPath(new URL("./static-answer.ts", import.meta.url));

export async function startProduct(dataDir: string, databaseUrl?: string): Promise<Running> {
  const ports = ["--http-port", "--grpc-port", "--internal-http-port", "--internal-grpc-port"].flatMap((f) => [f, "0"]);
  const flags = ["server", "--insecure", "--data", dataDir, "--log-level", "error", ...ports];
  const env = { ...process.env, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) };
  const { first, pid, stop } = await startAndRead([program, ...flags], env);
  return { ready: JSON.parse(first) as ServerReady, pid, stop };
}

/** A bare `node:http` that says the same words to everybody. */
export async function startStatic(answer: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { first, stop } = await startAndRead([staticAnswer, answer], process.env);
  return { url: first, stop };
}

async function startAndRead(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const first = await firstLine(child);
  const stop = async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
  return { first, pid: child.pid ?? 0, stop };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("a child without stdout");
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error("a child ended before it said where it listens");
}
