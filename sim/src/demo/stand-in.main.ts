/**
 * stand-in.main: squeue, sinfo, scontrol, scancel and sbatch as programs, answered by the simulated Slurm behind a socket.
 *
 * Takes   the socket, the name of the program, and its arguments. Only sbatch reads more: its script, from the file or from stdin.
 * Fails   rc 1: with Slurm's words when nobody listens or the script is not there; with the option that is not in the model.
 */
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { environment } from "@reprise/runtime/environment.ts";
import { ask, type Answer, type Call } from "./call.ts";
import { splitWords } from "./command-words.ts";

const [socketPath = "", program = "", ...args] = process.argv.slice(2);

async function callOf(): Promise<Call> {
  const workDir = process.cwd();
  if (program !== "sbatch") return { program, args, workDir, env: {}, input: "" };
  const { options, rest } = splitWords(args);
  const [path] = rest;
  const input = path === undefined ? await text(process.stdin) : readScript(path);
  return { program, args: options, workDir, env: environment(), input };
}

function readScript(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new Error(`sbatch: error: Unable to open file ${path}`);
  }
}

const wrong = (error: Error): Answer => ({ rc: 1, stdout: "", stderr: `${error.message}\n` });
const lost = (error: Error): Answer => ({
  rc: 1,
  stdout: "",
  stderr: `${program}: error: Unable to contact slurm controller (connect failure): ${error.message}\n`,
});
const { rc, stdout, stderr } = await callOf().then((call) => ask(socketPath, call).catch(lost), wrong);
process.stderr.write(stderr);
process.stdout.write(stdout);
process.exitCode = rc;
