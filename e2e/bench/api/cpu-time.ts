/**
 * cpu-time: how long some processes have been on a processor so far: what a measurement costs, however busy the machine is.
 *
 * Source  proc(5): `stat`, fields utime and stime, in ticks of 10 ms. Elsewhere than on Linux: 0.
 */
import { readFileSync } from "node:fs";

const tickMs = 10;

/** By process, milliseconds. */
export type CpuTimes = ReadonlyMap<number, number>;

export const cpuTimesOf = (pids: readonly number[]): CpuTimes => new Map(pids.map((pid) => [pid, timeOf(pid)]));

/** One that has ended meanwhile counts nothing. */
export const cpuTimeSince = (before: CpuTimes, after: CpuTimes): number =>
  [...after].reduce((sum, [pid, time]) => sum + Math.max(0, time - (before.get(pid) ?? 0)), 0);

function timeOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [utime, stime] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return ((utime ?? 0) + (stime ?? 0)) * tickMs;
  } catch {
    return 0;
  }
}
