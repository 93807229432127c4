/**
 * batch: the processes of the simulated Slurm's jobs, which are real: each attempt runs its batch script on this machine.
 *
 * In the loop   the simulated Slurm starts an attempt → **its script runs** → it ends, or is ended → Slurm is told
 * Takes         what was submitted, by job ID; `start` is called by the simulated Slurm.
 * Writes        the script into the folder, the output where the job says; one process group an attempt.
 * Keeps         an attempt is over when nothing of its process group lives: what the script leaves behind is killed, and after SIGTERM
 *               it is waited for (until the simulated Slurm's KillWait).
 * Fails         a script or an output that cannot be opened ends the attempt with exit code 1.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { compressHostlist } from "@reprise/core/fact/hostlist.ts";
import type { Life } from "@reprise/runtime/life.ts";
import type { Exit, Program, RunningAttempt } from "../slurm/sim-slurm.ts";
import type { Submission } from "./submission.ts";

export interface Batches {
  readonly start: (attempt: RunningAttempt) => Program;
  /** SIGKILL to everything that runs; resolves when it is gone. */
  endAll(): Promise<void>;
}

export interface BatchDeps {
  readonly life: Pick<Life, "clock" | "log">;
  /** Scripts are kept here. */
  readonly dir: string;
  /** In front of the PATH of each job: `srun` is here. */
  readonly binDir: string;
  readonly slurmConf: string;
  readonly submissionOf: (recordId: number) => Submission | undefined;
}

const lookEveryMs = 20;

export function createBatches(deps: BatchDeps): Batches {
  const { life, submissionOf } = deps;
  const running = new Set<Group>();
  return {
    start(attempt) {
      const submission = submissionOf(attempt.recordId);
      try {
        if (submission === undefined) throw new Error("nobody submitted it here");
        const group = runGroup(deps, attempt, submission, () => running.delete(group));
        running.add(group);
        return group.program;
      } catch (error) {
        life.log.warn({ job: attempt.jobId, error }, "its script could not be started");
        attempt.exit({ exitCode: 1 });
        return {};
      }
    },
    async endAll() {
      const ends = [...running].map((group) => group.end());
      await Promise.all(ends);
    },
  };
}

interface Group {
  readonly program: Program;
  end(): Promise<void>;
}

function runGroup(deps: BatchDeps, attempt: RunningAttempt, submission: Submission, onOver: () => void): Group {
  const { clock } = deps.life;
  const child = startScript(deps, attempt, submission);
  let [isTerminated, isOver] = [false, false];
  const send = (signal: NodeJS.Signals | 0) => {
    try {
      return child.pid !== undefined && !isOver && process.kill(-child.pid, signal);
    } catch {
      return false; // Nothing of it lives.
    }
  };
  const ended = new Promise<Exit>((resolve) => {
    child.on("error", () => resolve({ exitCode: 1 })); // Not started: a folder without the right to execute.
    child.on("exit", (code, signal) =>
      resolve(signal === null ? { exitCode: code ?? 0 } : { signal: constants.signals[signal] }),
    );
  }).then(async (exit) => {
    if (!isTerminated) send("SIGKILL");
    while (isTerminated && send(0)) await clock.sleep(lookEveryMs);
    attempt.exit(exit);
    isOver = true;
    onOver();
  });
  return {
    program: {
      terminated() {
        isTerminated = true;
        send("SIGTERM");
        return Infinity; // How long it goes on is not known before: its end tells, or KillWait.
      },
      suspended: () => void send("SIGSTOP"),
      resumed: () => void send("SIGCONT"),
      gone() {
        isTerminated = false;
        send("SIGKILL");
      },
    },
    async end() {
      isTerminated = false;
      send("SIGKILL");
      await ended;
    },
  };
}

function startScript(deps: BatchDeps, attempt: RunningAttempt, submission: Submission): ChildProcess {
  const { jobId, recordId, output = "", error = output, workDir } = attempt;
  const file = `${deps.dir}/job-${recordId}.sh`;
  mkdirSync(deps.dir, { recursive: true, mode: 0o700 });
  writeFileSync(file, submission.script, { mode: 0o700 });
  const [arrayId = jobId, taskId = "4294967294"] = jobId.split("_"); // Slurm's number for "no task".
  const patterns: Readonly<Record<string, string>> = {
    j: String(recordId),
    A: arrayId,
    a: taskId,
    x: attempt.name,
    u: attempt.user,
    N: attempt.nodes[0] ?? "",
    "%": "%",
  };
  const open = (path: string) =>
    openSync(
      path.replaceAll(/%([jAaxuN%])/g, (_all, letter: string) => patterns[letter] ?? ""),
      submission.appends || attempt.restartCount === 0 ? "a" : "w",
    );
  const out = open(output);
  const err = error === output ? out : open(error);
  try {
    return spawn(file, [], {
      cwd: workDir,
      env: environmentOf(deps, attempt, submission),
      detached: true,
      stdio: ["ignore", out, err],
    });
  } finally {
    for (const fd of new Set([out, err])) closeSync(fd);
  }
}

function environmentOf(
  { binDir, slurmConf }: BatchDeps,
  { jobId, recordId, restartCount, name, nodes, workDir }: RunningAttempt,
  { env, tasksPerNode }: Submission,
): Record<string, string | undefined> {
  const [arrayId, taskId] = jobId.split("_");
  return {
    ...env,
    PATH: `${binDir}:${env["PATH"] ?? "/usr/bin:/bin"}`,
    SLURM_CONF: slurmConf,
    SLURM_JOB_ID: String(recordId),
    SLURM_JOB_NAME: name,
    SLURM_JOB_NODELIST: compressHostlist([...nodes]),
    SLURM_JOB_NUM_NODES: String(nodes.length),
    SLURM_NNODES: String(nodes.length),
    SLURM_NTASKS: String(nodes.length * tasksPerNode),
    SLURM_NTASKS_PER_NODE: String(tasksPerNode),
    SLURM_SUBMIT_DIR: workDir,
    SLURMD_NODENAME: nodes[0],
    ...(restartCount === 0 ? {} : { SLURM_RESTART_COUNT: String(restartCount) }),
    ...(taskId === undefined ? {} : { SLURM_ARRAY_JOB_ID: arrayId, SLURM_ARRAY_TASK_ID: taskId }),
  };
}
