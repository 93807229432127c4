/**
 * ready-child: a program of ours as a child, which says by its first line on stdout that it is ready, and what is to be known of it.
 *
 * Gives   that line, as JSON. Its other words go to `logFile`.
 * Fails   `Failure` with its last words when it ends before it is ready.
 * Keeps   it has a process group of its own (Ctrl-C is ours alone), and is ended by its process ID.
 * Bound   SIGKILL `stopLimitMs` after SIGTERM.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import type { Environment } from "@reprise/runtime/environment.ts";
import { Failure } from "../failure.ts";

export interface ChildPlan {
  /** For the message when it does not start. */
  readonly what: string;
  /** Of node: the program, and what it is told. */
  readonly args: readonly string[];
  readonly env: Environment;
  readonly logFile: string;
  /** Closes when we are gone, however we ended; by it the child notices. */
  readonly tie: "ipc" | "stdin";
  readonly stopLimitMs: number;
}

export interface ReadyChild<Ready> {
  readonly ready: Ready;
  readonly pid: number;
  readonly ended: Promise<void>;
  /** SIGTERM, and later SIGKILL. Resolves when it is gone. */
  stop(): Promise<void>;
}

export async function startReadyChild<Ready>(plan: ChildPlan): Promise<ReadyChild<Ready>> {
  const { what, args, env, logFile, tie, stopLimitMs } = plan;
  const log = openSync(logFile, "a", 0o600);
  const child = spawn(process.execPath, args, {
    env: { ...env },
    detached: true,
    stdio: tie === "ipc" ? ["ignore", "pipe", log, "ipc"] : ["pipe", "pipe", log],
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
  const ready = await Promise.race([firstLine(child), ended.then(() => undefined)]);
  if (ready === undefined || child.pid === undefined)
    throw new Failure(`${what} did not start`, { hints: readFileSync(logFile, "utf8").trim().split("\n").slice(-5) });
  return {
    ready: JSON.parse(ready) as Ready,
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

/** Never resolves when the child ends without one. */
function firstLine({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
  });
}
