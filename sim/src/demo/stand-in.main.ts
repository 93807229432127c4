/**
 * stand-in.main: squeue, sinfo, scontrol, scancel and sbatch as programs, answered by the simulated Slurm behind a socket.
 *
 * Takes   the socket, the name of the program, and its arguments. Only sbatch reads more: its script, from the file or from stdin.
 * Fails   rc 1 with Slurm's words when nobody listens.
 */
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { environment } from "@reprise/runtime/environment.ts";
import { ask, type Answer, type Call } from "./call.ts";

const [socketPath = "", program = "", ...args] = process.argv.slice(2);

async function callOf(): Promise<Call> {
  const workDir = process.cwd();
  if (program !== "sbatch") return { program, args, workDir, env: {}, input: "" };
  const file = args.findIndex((arg) => !arg.startsWith("-"));
  const path = args[file];
  const input = path === undefined ? await text(process.stdin) : readFileSync(path, "utf8");
  return { program, args: path === undefined ? args : args.slice(0, file), workDir, env: environment(), input };
}

const lost = (error: Error): Answer => ({
  rc: 1,
  stdout: "",
  stderr: `${program}: error: Unable to contact slurm controller (connect failure): ${error.message}\n`,
});
const { rc, stdout, stderr } = await callOf()
  .then((call) => ask(socketPath, call))
  .catch(lost);
process.stderr.write(stderr);
process.stdout.write(stdout);
process.exitCode = rc;
