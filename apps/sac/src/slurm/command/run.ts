/**
 * run: one program, to its end or to its limit, as values.
 *
 * Takes   a program, its arguments (never a shell), the whole environment it shall see, and how long it may take.
 * Gives   how it ended. Never rejects: what could not be started has no `rc`, and its error in `stderr`.
 * Keeps   at the limit the whole process group is killed, so that a site's wrapper script does not leave the real command behind;
 *         and the answer does not wait for what still holds the pipes.
 * Bound   `limitMs`; `outputBytesMax` of output, then it is killed and has no `rc`. 50 000 jobs are 20 MB.
 */
import { spawn } from "node:child_process";
import type { Clock } from "@reprise/runtime/clock.ts";

export interface Ran {
  /** Absent: ended by a signal (our limit's too), or never started. */
  readonly rc?: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

export interface RunOptions {
  readonly limitMs: number;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
}

export type Runner = (program: string, args: readonly string[], options: RunOptions) => Promise<Ran>;

const outputBytesMax = 512 * 1024 * 1024;

export function createRunner(clock: Clock): Runner {
  return (program, args, { limitMs, env, input = "" }) =>
    new Promise((resolve) => {
      const child = spawn(program, args, { env: { ...env }, detached: true, stdio: ["pipe", "pipe", "pipe"] });
      const stdout: Buffer[] = [];
      const stderr: Buffer[] = [];
      const ended = new AbortController();
      let bytes = 0;
      let why = "";

      const finish = (rc: number | null, timedOut: boolean) => {
        if (ended.signal.aborted) return;
        ended.abort();
        for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
        const said = [Buffer.concat(stderr).toString(), why].filter((text) => text !== "").join("\n");
        resolve({ ...(rc === null ? {} : { rc }), stdout: Buffer.concat(stdout).toString(), stderr: said, timedOut });
      };
      const kill = (timedOut: boolean) => {
        if (ended.signal.aborted) return;
        killGroup(child.pid);
        finish(null, timedOut);
      };
      const keep = (chunks: Buffer[]) => (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes <= outputBytesMax) return;
        why = `more than ${outputBytesMax} bytes of output`;
        kill(false);
      };

      child.stdout.on("data", keep(stdout));
      child.stderr.on("data", keep(stderr));
      child.stdin.on("error", () => {}); // It ended without reading its input: its exit code tells.
      child.stdin.end(input);
      child.on("error", (error) => {
        why = `${program}: ${error.message}`;
        finish(null, false);
      });
      child.on("close", (rc) => finish(rc, false));
      void clock.sleep(limitMs, ended.signal).then(() => kill(true));
    });
}

/** The child leads a group of its own (`detached`). */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}
