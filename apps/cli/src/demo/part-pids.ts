/**
 * part-pids: the process IDs of one of Reprise's parts that works on one Slurm, as /proc shows them now.
 *
 * Gives   whoever runs `… main.ts PART …` with this SLURM_CONF in its environment, whoever started it. A child of one of those is none: between
 *         fork and exec, each program that a part starts still looks like the part.
 */
import { readdirSync, readFileSync } from "node:fs";

export type RunningPart = "up" | "server" | "watcher" | "sac" | "watchdog";

export function partPids(part: RunningPart, slurmConf: string): number[] {
  const found = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const args = zeroSeparated(`/proc/${pid}/cmdline`);
      const main = args.findIndex((arg) => arg.endsWith("main.ts"));
      return (
        main !== -1 &&
        args[main + 1] === part &&
        zeroSeparated(`/proc/${pid}/environ`).includes(`SLURM_CONF=${slurmConf}`)
      );
    });
  return found.filter((pid) => !found.includes(parentOf(pid)));
}

/** 0 for one that has ended. */
function parentOf(pid: number): number {
  const [, parent = "0"] = /\nPPid:\t(\d+)/.exec(text(`/proc/${pid}/status`)) ?? [];
  return Number(parent);
}

const zeroSeparated = (path: string): string[] => text(path).split("\0");

function text(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // It has ended, or is another user's.
  }
}
