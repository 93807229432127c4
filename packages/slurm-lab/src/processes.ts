/**
 * processes: which processes belong to one lab, as /proc shows them now.
 *
 * Gives   process ids. A zombie is not listed: it has ended.
 * Writes  nothing; the lab sends the signals.
 * Keeps   a process is found by what it was started with (this lab's slurm.conf, munge socket or database), never by its name alone and never
 *         by a pid file, so an id that was used again is never hit. Ourselves and our ancestors are never listed.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { controllerLog, type Controller } from "./backup.ts";
import { mungeSocketIn, slurmConfIn } from "./lab-options.ts";

export type Daemon =
  | { readonly kind: "munged" }
  | { readonly kind: "slurmctld"; readonly which?: Controller }
  | { readonly kind: "slurmdbd" }
  | { readonly kind: "mariadbd" }
  | { readonly kind: "slurmd"; readonly node?: string };

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly argv: readonly string[];
}

/** The pids of one kind of daemon; for `slurmd` without a node, and `slurmctld` without which, of all of them. */
export function daemonPids(dir: string, daemon: Daemon): number[] {
  const conf = slurmConfIn(dir);
  return listProcesses()
    .filter(({ argv, pid }) => {
      if (basename(argv[0] ?? "") !== daemon.kind) return false;
      if (daemon.kind === "mariadbd") return argv.includes(`--datadir=${dir}/db`);
      if (daemon.kind === "slurmdbd") return environOf(pid).includes(`SLURM_CONF=${conf}`);
      if (daemon.kind === "munged") return argv.includes(`--socket=${mungeSocketIn(dir)}`);
      if (!argv.includes(conf)) return false;
      if (daemon.kind === "slurmctld") {
        const which = argv.includes(controllerLog(dir, "backup")) ? "backup" : "primary";
        return daemon.which === undefined || daemon.which === which;
      }
      return daemon.node === undefined || argv[argv.indexOf("-N") + 1] === daemon.node;
    })
    .map(({ pid }) => pid);
}

/** Everything that runs for jobs: batch scripts, tasks, what they started, and the slurmstepd above them. With a node, only its own. */
export function jobPids(dir: string, node?: string): number[] {
  const all = listProcesses();
  const byPid = new Map(all.map((one) => [one.pid, one]));
  const found = new Set<number>();
  for (const { pid, parent } of all) {
    const env = environOf(pid);
    if (!env.includes(`SLURM_CONF=${slurmConfIn(dir)}`)) continue;
    const name = env.find((entry) => entry.startsWith("SLURMD_NODENAME="))?.slice("SLURMD_NODENAME=".length);
    if (name !== undefined && (node === undefined || name === node)) {
      found.add(pid);
      if (byPid.has(parent) && isStepd(parent)) found.add(parent);
    } else if (node === undefined && isStepd(pid)) found.add(pid); // Just starting: it has no job process yet.
  }
  // What a job started with another environment.
  for (let grew = true; grew; ) {
    grew = false;
    for (const { pid, parent } of all) {
      if (!found.has(parent) || found.has(pid)) continue;
      found.add(pid);
      grew = true;
    }
  }
  for (let pid = process.pid; pid > 1; pid = byPid.get(pid)?.parent ?? 0) found.delete(pid);
  return [...found];
}

/** slurmctld and what it started: its `slurmscriptd` wears a title that names no lab, so it is known by its parent only while that lives. */
export function controllerFamily(dir: string): number[] {
  const controllers = daemonPids(dir, { kind: "slurmctld" });
  return [...controllers, ...listProcesses().flatMap(({ pid, parent }) => (controllers.includes(parent) ? [pid] : []))];
}

/** All that is left of a lab. Empty after a stop. */
export function labPids(dir: string): number[] {
  const kinds = ["munged", "slurmctld", "slurmd", "slurmdbd", "mariadbd"] as const;
  return [...new Set([...kinds.flatMap((kind) => daemonPids(dir, { kind })), ...jobPids(dir)])];
}

export const isStopped = (pid: number) => statOf(pid)?.state === "T";
export const isAlive = (pid: number) => !["Z", "X", undefined].includes(statOf(pid)?.state);

function listProcesses(): Process[] {
  const all: Process[] = [];
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = statOf(Number(entry));
    if (stat === undefined || stat.state === "Z" || stat.state === "X") continue;
    all.push({ pid: Number(entry), parent: stat.parent, argv: zeroSeparated(`/proc/${entry}/cmdline`) });
  }
  return all;
}

/** `123 (a (strange) name) S 1 …`: the name may hold anything, so the fields are counted from the last parenthesis. */
function statOf(pid: number): { state: string; parent: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "X", parent = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, parent: Number(parent) };
  } catch {
    return undefined; // It has ended since the listing.
  }
}

const environOf = (pid: number) => zeroSeparated(`/proc/${pid}/environ`);

function isStepd(pid: number): boolean {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`)).startsWith("slurmstepd");
  } catch {
    return false;
  }
}

function zeroSeparated(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\0");
  } catch {
    return []; // Ended, or another user's: not ours.
  }
}
