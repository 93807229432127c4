/**
 * run: one program, to its end, as values.
 *
 * Takes   a program, its arguments (never a shell), and the whole environment it shall see.
 * Gives   its exit code and what it wrote; `code` is undefined when a signal ended it, our limit's too.
 * Fails   only when the program could not be started: a `LabRefusal` `unavailable`.
 * Bound   `limitMs`, then SIGKILL; 64 MiB of output.
 */
import { execFile } from "node:child_process";
import { LabRefusal } from "./lab-options.ts";

export interface Ran {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  /** Default 30 000: slurmctld that is down answers after 10 to 20 s. */
  readonly limitMs?: number;
}

export function run(program: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  const { env, cwd, input = "", limitMs = 30_000 } = options;
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      {
        env: { ...env },
        ...(cwd === undefined ? {} : { cwd }),
        timeout: limitMs,
        killSignal: "SIGKILL",
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        if (error === null) return resolve({ code: 0, stdout, stderr });
        if (typeof error.code === "string")
          return reject(new LabRefusal("unavailable", `${program}: could not be run (${error.code})`));
        resolve({ code: error.code ?? undefined, stdout, stderr });
      },
    );
    child.stdin?.on("error", () => {}); // It ended without reading its input: its exit code tells.
    child.stdin?.end(input);
  });
}
