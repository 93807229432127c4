/**
 * call: one call of a Slurm program that stands in for the real one, and its answer, over a private unix socket.
 *
 * Takes   one JSON object, and gives one; then the connection ends.
 * Fails   `ask` rejects when nobody listens. A call that cannot be read is answered with rc 1.
 */
import { chmodSync } from "node:fs";
import { connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { Refusal } from "@reprise/core/refusal.ts";

export interface Call {
  /** `squeue`, `sinfo`, `scontrol`, `scancel`, `sbatch`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly workDir: string;
  /** The caller's variables, which a submitted job inherits; empty for the others. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of the batch script. */
  readonly input: string;
}

export interface Answer {
  readonly rc: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function ask(socketPath: string, call: Call): Promise<Answer> {
  const socket = connect(socketPath);
  socket.end(JSON.stringify(call));
  return JSON.parse(await text(socket)) as Answer;
}

export interface Listener {
  close(): void;
}

/** The longest socket path that Linux takes, with its closing zero left out. */
const socketPathBytesMax = 107;

/** @throws a `Refusal` `invalid`: the path is too long. */
export async function listen(socketPath: string, answer: (call: Call) => Promise<Answer>): Promise<Listener> {
  if (Buffer.byteLength(socketPath) > socketPathBytesMax)
    throw new Refusal(
      "invalid",
      `${socketPath} is longer than the ${socketPathBytesMax} bytes of a socket path; choose a shorter folder`,
    );
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {}); // Its caller has gone: nobody waits for the answer.
    const reply = async () => {
      const call = JSON.parse(await text(socket)) as Call;
      socket.end(JSON.stringify(await answer(call)));
    };
    reply().catch((error: unknown) => {
      socket.end(JSON.stringify({ rc: 1, stdout: "", stderr: `${String(error)}\n` } satisfies Answer));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socketPath, resolve);
  });
  chmodSync(socketPath, 0o600);
  return { close: () => void server.close() };
}
