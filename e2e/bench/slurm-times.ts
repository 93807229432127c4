/**
 * slurm-times: when Slurm first showed each state of each attempt, by looking at it again and again.
 *
 * Bound   accurate to `lookEveryMs` and one answer of slurmctld (about 10 ms); a state that lasts for less may be missed.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Lab } from "@reprise/slurm-lab/lab.ts";

const lookEveryMs = 200;

export interface SlurmTimes {
  firstSeen(jobId: string, restarts: number, state: string): Instant | undefined;
  stop(): Promise<void>;
}

export function watchSlurmTimes(lab: Lab, clock: Clock): SlurmTimes {
  const seen = new Map<string, Instant>();
  const ending = new AbortController();
  const watch = async () => {
    while (!ending.signal.aborted) {
      const { stdout } = await lab.run("squeue", ["-h", "-r", "-t", "all", "-O", "JobID:|,restartcnt:|,State:|"]);
      const at = clock.now();
      for (const row of stdout.split("\n")) if (row !== "" && !seen.has(row)) seen.set(row, at);
      await clock.sleep(lookEveryMs, ending.signal);
    }
  };
  const ended = watch();
  return {
    firstSeen: (jobId, restarts, state) => seen.get(`${jobId}|${restarts}|${state}|`),
    stop() {
      ending.abort();
      return ended;
    },
  };
}
