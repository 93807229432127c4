/**
 * processes: starts a child program of ours, talks to it, watches its end, and ends it by its process ID.
 *
 * Takes   a program run by this Node, with a first message that it waits for (its configuration: not on the command line,
 *         where everybody reads it, and not in a file, which would have to be cleaned up).
 * Keeps   A child of the shared group ends with us, however we end: it sees the channel close (`parent.ts`). A child of
 *         its own group outlives us and whatever is sent to our group; its output goes to a file of its own, so that
 *         nobody waits for a pipe that it still holds.
 * Fails   A program that cannot be started ends with `kind: "not-started"`; nothing is thrown.
 */
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, renameSync } from "node:fs";
import { type Clock, within } from "./clock.ts";
import { environment } from "./environment.ts";

export interface ChildProgram {
  /** For messages: `server`, `sac`, … */
  readonly name: string;
  /** Options of its Node. */
  readonly nodeArgs?: readonly string[];
  /** The file that Node runs, and its arguments. */
  readonly file: string;
  readonly args: readonly string[];
  readonly firstMessage: unknown;
  /** `own`: detached, with everything it prints in `logFile`. `shared`: in our group, printing on our stderr. */
  readonly group: { readonly kind: "shared" } | { readonly kind: "own"; readonly logFile: string };
  /** Beside the variables of this process, and before them. */
  readonly env?: Readonly<Record<string, string>>;
  readonly onMessage?: (message: unknown) => void;
}

export type Exit =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "not-started"; readonly error: Error };

export interface Child {
  readonly name: string;
  /** `undefined` when it could not be started. */
  readonly pid: number | undefined;
  readonly ended: Promise<Exit>;
  /** SIGTERM, and SIGKILL when it has not ended after `limitMs`. */
  stop(limitMs: number): Promise<Exit>;
  /**
   * Closes the channel, by which the child learns that we leave it, and lets it run on: this process may end before it.
   * Gives its end if that comes within `limitMs`, else `undefined`.
   */
  letGo(limitMs: number): Promise<Exit | undefined>;
}

/** A log file larger than this is set aside (`.1`) before it is written again. */
const logBytesMax = 10 * 1024 * 1024;

export function startChild(program: ChildProgram, clock: Clock): Child {
  const isOwn = program.group.kind === "own";
  const output = program.group.kind === "own" ? openLog(program.group.logFile) : 2;
  const stdio: StdioOptions = ["ignore", output, output, "ipc"];
  const env = { ...environment(), ...program.env };
  const args = [...(program.nodeArgs ?? []), program.file, ...program.args];
  const child = spawn(process.execPath, args, { stdio, env, detached: isOwn });
  if (isOwn) closeSync(output);
  const ended = watchEnd(child);
  if (program.onMessage !== undefined) child.on("message", program.onMessage);
  child.send(program.firstMessage as object, () => {}); // A child that died before is seen by its end.

  const endWithin = (limitMs: number): Promise<Exit | undefined> => within(clock, limitMs, ended);
  return {
    name: program.name,
    pid: child.pid,
    ended,
    async stop(limitMs) {
      child.kill("SIGTERM");
      const exit = await endWithin(limitMs);
      if (exit !== undefined) return exit;
      child.kill("SIGKILL");
      return ended;
    },
    async letGo(limitMs) {
      if (child.connected) child.disconnect();
      child.unref();
      return endWithin(limitMs);
    },
  };
}

function watchEnd(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.on("error", (error) => {
      // Also raised for a message that could not be delivered: only without a process ID has nothing been started.
      if (child.pid === undefined) resolve({ kind: "not-started", error });
    });
    child.on("exit", (code, signal) => {
      resolve(signal === null ? { kind: "exited", code: code ?? 0 } : { kind: "killed", signal });
    });
  });
}

function openLog(path: string): number {
  const file = openSync(path, "a", 0o600);
  if (fstatSync(file).size <= logBytesMax) return file;
  closeSync(file);
  renameSync(path, `${path}.1`);
  return openSync(path, "a", 0o600);
}

/** `exit code 1`, `SIGKILL`, for a sentence. */
export function showExit(exit: Exit): string {
  switch (exit.kind) {
    case "exited":
      return `exit code ${exit.code}`;
    case "killed":
      return exit.signal;
    case "not-started":
      return `could not be started: ${exit.error.message}`;
  }
}
