/**
 * daemons: starts and ends the processes of one lab.
 *
 * Writes  the lab's folder; signals to the lab's own processes, by their ids.
 * Keeps   started under the names `slurmctld` and `slurmd`: under Debian's other names (`slurmctld-wlm`) they drop every Gres= silently.
 * Fails   `LabRefusal` `unavailable` with the daemon's last words.
 */
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import type { Clock } from "@reprise/runtime/clock.ts";
import { controllerArguments, onHostOf } from "./backup.ts";
import { databaseSocketIn, LabRefusal, mungeSocketIn, slurmConfIn, type LabPlan } from "./lab-options.ts";
import { daemonPids, type Daemon } from "./processes.ts";

/** A daemon that answers SIGTERM does so within this; slurmctld with a running job needs 4 s. */
const endWaitMs = 8_000;
const lookEveryMs = 20;

export interface DaemonHome {
  readonly plan: LabPlan;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** Returns when the daemon has put itself into the background; whether it works is for the caller to look at. Nothing happens when it already runs. */
export async function startDaemon(home: DaemonHome, daemon: Daemon): Promise<void> {
  const { dir } = home.plan;
  if (daemonPids(dir, daemon).length > 0) return;
  if (daemon.kind === "slurmd" && daemon.node !== undefined)
    mkdirSync(`${dir}/spool/${daemon.node}`, { recursive: true });
  const log = openSync(`${dir}/log/start.log`, "a"); // A pipe would stay open for as long as the daemon lives.
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      const [program, ...args] = commandOf(home.plan, daemon);
      const child = spawn(program, args, {
        env: { ...home.env, ...(daemon.kind === "slurmdbd" ? { MYSQL_UNIX_PORT: databaseSocketIn(dir) } : {}) },
        stdio: ["ignore", log, log],
        cwd: dir,
      });
      child.once("error", reject);
      child.once("exit", resolve);
    });
    if (code === 0) return;
  } finally {
    closeSync(log);
  }
  throw new LabRefusal("unavailable", `${daemon.kind} did not start: ${lastWords(dir, ["start"])}`);
}

/** Sends the signal, waits, and sends SIGKILL to what is left. Returns when none of them is there any more. */
export async function endDaemon(home: DaemonHome, daemon: Daemon, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  await endPids(() => daemonPids(home.plan.dir, daemon), signal, home.clock);
}

/**
 * @param find  Asked again after every wait, so that what is started meanwhile ends too; and once more when it found nothing, since one
 *              look at /proc may miss a process that forks just then.
 */
export async function endPids(
  find: () => readonly number[],
  signal: "SIGTERM" | "SIGKILL",
  clock: Clock,
): Promise<void> {
  const askedAt = clock.now();
  const asked = new Set<number>();
  for (let emptyLooks = 0; emptyLooks < 2; ) {
    const pids = find();
    const waitedMs = clock.now() - askedAt;
    if (waitedMs > 2 * endWaitMs && pids.length > 0)
      throw new LabRefusal("unavailable", `processes ${pids.join(", ")} of the lab cannot be ended`);
    for (const pid of pids) {
      if (waitedMs > endWaitMs) signalPid(pid, "SIGKILL");
      else if (!asked.has(pid)) signalPid(pid, signal);
      if (signal === "SIGTERM") signalPid(pid, "SIGCONT"); // A paused process hears nothing.
      asked.add(pid);
    }
    emptyLooks = pids.length === 0 ? emptyLooks + 1 : 0;
    if (emptyLooks < 2) await clock.sleep(lookEveryMs);
  }
}

export function signalPid(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // It ended by itself.
  }
}

/** The ends of the named logs, for a message. */
export function lastWords(dir: string, logs: readonly string[]): string {
  const words = logs.flatMap((name) => {
    const path = `${dir}/log/${name}.log`;
    return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n").slice(-3) : [];
  });
  return words.join(" | ") || "it said nothing";
}

/** The absolute path: the daemons look at the name they were started by. */
export function programPath(plan: LabPlan, program: string): string {
  const found = plan.path
    .split(":")
    .map((folder) => `${folder}/${program}`)
    .find((path) => existsSync(path));
  if (found === undefined) throw new LabRefusal("precondition", `${program} is not installed (looked in ${plan.path})`);
  return found;
}

function commandOf(plan: LabPlan, daemon: Daemon): [string, ...string[]] {
  const command: [string, ...string[]] = [programPath(plan, daemon.kind), ...argumentsOf(plan.dir, daemon)];
  return daemon.kind === "slurmctld" && plan.backup ? onHostOf(plan.dir, daemon.which ?? "primary", command) : command;
}

function argumentsOf(dir: string, daemon: Daemon): string[] {
  if (daemon.kind === "slurmctld") return controllerArguments(dir, daemon.which ?? "primary");
  if (daemon.kind === "slurmdbd") return []; // It finds its file beside that of SLURM_CONF.
  if (daemon.kind === "slurmd") return ["-f", slurmConfIn(dir), "-N", daemon.node ?? ""];
  return [
    `--key-file=${dir}/munge/munge.key`,
    `--socket=${mungeSocketIn(dir)}`,
    `--pid-file=${dir}/pids/munged.pid`,
    `--log-file=${dir}/log/munged.log`,
    `--seed-file=${dir}/munge/seed`,
    "--num-threads=10",
    "--force", // It dislikes a socket below a folder that others may write, such as /tmp.
  ];
}
