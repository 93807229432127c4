/**
 * command: runs one program for the tools, with a limit, and says how it ended.
 *
 * Keeps   the Node and the programs of this checkout come first in PATH, whatever the machine has.
 * Fails   never by throwing: a program that cannot be started, or passes its limit, has ended with a code and a sentence in `output`.
 *         Ctrl-C ends the program, and then us: nothing that comes after it is begun.
 * Bound   `limitMs`; then the program's whole process group is killed.
 */
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface Command {
  /** A program of node_modules/.bin, of PATH, or an absolute path; then its arguments. */
  readonly run: readonly [program: string, ...args: string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly limitMs: number;
  /** `shown`: what it writes goes to the terminal as it comes. `kept`: it is in `output`, without colours. */
  readonly output: "shown" | "kept";
}

export interface Ended {
  /** 0: as it should. -1: not started, or killed. */
  readonly code: number;
  readonly output: string;
  readonly ms: number;
}

const path = [
  join(root, "node_modules/node/bin"),
  join(root, "node_modules/.bin"),
  process.env["PATH"],
  "/usr/sbin",
  "/sbin",
];

export function runCommand({ run: [program, ...args], env, limitMs, output }: Command): Promise<Ended> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      env: {
        ...process.env,
        PATH: path.join(delimiter),
        ...(output === "kept" ? { NO_COLOR: "1" } : {}),
        ...env,
      },
      stdio: ["ignore", ...(output === "shown" ? (["inherit", "inherit"] as const) : (["pipe", "pipe"] as const))],
      detached: true,
    });
    let text = "";
    const keep = (chunk: Buffer) => (text += chunk.toString());
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    const kill = (signal: NodeJS.Signals) => child.pid !== undefined && killGroup(child.pid, signal);
    let isStopped = false;
    const forward = (signal: NodeJS.Signals) => {
      isStopped = true;
      kill(signal);
    };
    const limit = setTimeout(() => {
      text += `\n${program} did not end within ${limitMs / 1000} s and was killed`;
      kill("SIGKILL");
    }, limitMs);
    const end = (code: number, more = "") => {
      clearTimeout(limit);
      for (const signal of stopSignals) process.off(signal, forward);
      if (isStopped) process.exit(130);
      resolve({ code, output: stripVTControlCharacters(text + more).trim(), ms: performance.now() - startedAt });
    };
    for (const signal of stopSignals) process.on(signal, forward);
    child.once("error", (error) => end(-1, `${program} could not be started: ${error.message}`));
    child.once("close", (code) => end(code ?? -1));
  });
}

/** The group is our child's own, so a Ctrl-C in the terminal does not reach it by itself. */
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}
