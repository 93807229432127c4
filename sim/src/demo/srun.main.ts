/**
 * srun.main: `srun [--option=value …] PROGRAM ARGS…` inside a batch script of the simulated Slurm: one task for each rank.
 *
 * Takes   SLURM_JOB_NODELIST and SLURM_NTASKS_PER_NODE. All tasks run on this machine, each told on which node it is.
 * Gives   the highest exit code of a task that ended by itself; a signal counts as 128 and its number. Says who failed, as the real
 *         one does.
 * Keeps   a task that fails ends the others (`--kill-on-bad-exit`). SIGTERM reaches the tasks by their process group; this program
 *         waits for them.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { expandHostlist } from "@reprise/core/fact/hostlist.ts";
import { environment } from "@reprise/runtime/environment.ts";

interface Task {
  readonly rank: number;
  readonly node: string;
  readonly child: ChildProcess;
}

const env = environment();
const nodes = expandHostlist(env["SLURM_JOB_NODELIST"] ?? "") ?? [];
const perNode = Number(env["SLURM_NTASKS_PER_NODE"] ?? 1);
const args = process.argv.slice(2);
const first = args.findIndex((arg) => !arg.startsWith("-"));
const [program = "", ...programArgs] = first === -1 ? [] : args.slice(first);

const say = (text: string) => void process.stderr.write(`${text}\n`);
let [isEnding, hasFailed] = [false, false];
process.on("SIGTERM", () => (isEnding = true));

if (program === "") {
  say("srun: fatal: No command given to execute.");
  process.exit(1);
}
const tasks: readonly Task[] = nodes.flatMap((node, nodeIndex) =>
  Array.from({ length: perNode }, (_, local) => startTask(node, nodeIndex, local)),
);
process.exitCode = Math.max(0, ...(await Promise.all(tasks.map(ended))));

function startTask(node: string, nodeIndex: number, local: number): Task {
  const rank = nodeIndex * perNode + local;
  const own = {
    SLURM_STEP_ID: "0",
    SLURM_NTASKS: String(nodes.length * perNode),
    SLURM_PROCID: String(rank),
    SLURM_LOCALID: String(local),
    SLURM_NODEID: String(nodeIndex),
    SLURMD_NODENAME: node,
  };
  return { rank, node, child: spawn(program, programArgs, { env: { ...env, ...own }, stdio: "inherit" }) };
}

function ended({ rank, node, child }: Task): Promise<number> {
  return new Promise((resolve) => {
    child.on("error", (error) => {
      if (child.pid !== undefined) return;
      say(`srun: error: ${node}: task ${rank}: ${error.message}`);
      failed();
      resolve(2);
    });
    child.on("exit", (code, signal) => {
      const rc = signal === null ? (code ?? 0) : 128 + constants.signals[signal];
      if (rc !== 0) say(`srun: error: ${node}: task ${rank}: ${words(code, signal)}`);
      const isOurs = hasFailed && signal === "SIGTERM";
      if (rc !== 0) failed();
      resolve(isOurs ? 0 : rc);
    });
  });
}

function failed(): void {
  if (isEnding) return;
  isEnding = hasFailed = true;
  say(`srun: Terminating StepId=${env["SLURM_JOB_ID"] ?? "?"}.0`);
  for (const { child } of tasks) if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
}

function words(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === null) return `Exited with exit code ${code}`;
  const known: Partial<Record<NodeJS.Signals, string>> = {
    SIGSEGV: "Segmentation fault",
    SIGTERM: "Terminated",
    SIGKILL: "Killed",
    SIGABRT: "Aborted",
  };
  return known[signal] ?? signal;
}
