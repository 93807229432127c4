/**
 * part-pids: the process IDs of one of Reprise's parts that works on one Slurm, as /proc shows them now.
 *
 * Gives   whoever runs `… main.ts PART …` with this SLURM_CONF in its environment, whoever started it.
 */
import { readdirSync, readFileSync } from "node:fs";

export type RunningPart = "up" | "server" | "watcher" | "sac" | "watchdog";

export function partPids(part: RunningPart, slurmConf: string): number[] {
  return readdirSync("/proc")
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
}

function zeroSeparated(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\0");
  } catch {
    return []; // It has ended, or is another user's.
  }
}
