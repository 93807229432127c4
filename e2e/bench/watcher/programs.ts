/**
 * programs: a real server and real watchers as processes, without a Slurm: what SAC would see is told by the test.
 *
 * Gives   a server with the embedded database in a folder of its own; watchers by name; all of them are killed by `stop`.
 * Fails   when a server ends before it is ready.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(import.meta.resolve("@reprise/cli/main.ts"));
const anyPort = ["--http-port", "--grpc-port", "--internal-http-port", "--internal-grpc-port"].flatMap((f) => [f, "0"]);

export interface Programs {
  /** With scheme. */
  readonly http: string;
  /** `host:port`. */
  readonly grpc: string;
  /** For logs; gone after `stop`. */
  readonly folder: string;
  startWatcher(name: string, targetsMax?: number): WatcherProcess;
  stop(): Promise<void>;
}

export interface WatcherProcess {
  readonly pid: number;
  kill(): Promise<void>;
}

export async function startPrograms(): Promise<Programs> {
  const folder = mkdtempSync(join(tmpdir(), "reprise-watchers-"));
  const children: ChildProcess[] = [];
  const stop = async () => {
    await Promise.all(children.map(kill));
    rmSync(folder, { recursive: true, force: true });
  };
  const start = (part: string, args: readonly string[]) => {
    const all = [program, part, "--insecure", "--log-level", "warn", "--data", join(folder, "data"), ...args];
    const child = spawn(process.execPath, all, { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    return child;
  };
  const server = start("server", anyPort);
  try {
    const ready = await firstLine(server);
    const grpc = ready.internalGrpc;
    return {
      http: ready.internalHttp,
      grpc,
      folder,
      startWatcher(name, targetsMax = 5_000) {
        const child = start("watcher", ["--server", grpc, "--watcher-id", name, "--targets-max", `${targetsMax}`]);
        return { pid: child.pid ?? 0, kill: () => kill(child) };
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function firstLine(server: ChildProcess): Promise<{ internalHttp: string; internalGrpc: string }> {
  if (server.stdout === null) throw new Error("the server has no stdout");
  for await (const line of createInterface({ input: server.stdout }))
    return JSON.parse(line) as { internalHttp: string; internalGrpc: string };
  throw new Error(`the server ended with ${server.exitCode} before it was ready`);
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** One running attempt, as SAC sees it. */
export interface RunningJob {
  readonly jobId: string;
  readonly stdout: string;
}

/**
 * A view of a cluster in which these jobs run, and opted in. It does not say that there are no others: those that were published
 * before run on.
 *
 * @param at When it was taken, and when they started.
 */
export async function publish(http: string, jobs: readonly RunningJob[], at: Date, startedAt: Date): Promise<void> {
  const changed = jobs.map(({ jobId, stdout }) => ({
    workflowId: "watched",
    jobId,
    jobName: "train",
    state: "JOB_STATUS_RUNNING",
    gpuCountPerNode: 8,
    allocatedNodes: ["n1", "n2"],
    recoveryConfig: { autoResumeMode: "AUTO_RESUME_MODE_REQUEUE", maxRequeueTimes: 3 },
    schedulerMetadata: { slurm: { stdout, workDir: "/", slurmState: "RUNNING", startTime: startedAt.toISOString() } },
  }));
  const body = { cluster: "default", takenAt: at.toISOString(), complete: false, mode: "observe", changed, seen: [] };
  const answer = await fetch(`${http}/reprise/v1/passes`, { method: "POST", body: JSON.stringify(body) });
  if (answer.status !== 200) throw new Error(`passes: ${answer.status} ${await answer.text()}`);
}
