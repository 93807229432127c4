/** garble: rows that a look cannot read, or that show a word nobody knows. */
import type { SlurmJob, UnreadableRow } from "@reprise/core/nouns.ts";
import { shownOf } from "@reprise/sac/slurm/parse-squeue.ts";
import type { Troubles } from "./sim-slurm.ts";

export interface Garble {
  readonly garble: Troubles["garble"];
  cut(): void;
  clear(): void;
  readonly isCut: boolean;
  /** Some row is not shown as it is. */
  readonly isOn: boolean;
  /** What a listing shows of this row: a value that no parser takes stands for an unreadable one. */
  shown(row: SlurmJob): SlurmJob;
  /** The jobs as a look sorts them. */
  sort(jobs: ReadonlyMap<string, SlurmJob>): {
    readonly jobs: ReadonlyMap<string, SlurmJob>;
    readonly unreadable: ReadonlyMap<string, UnreadableRow>;
  };
}

/** What an unreadable row has in its State. */
const noState = "?";
const nobody: ReadonlyMap<string, UnreadableRow> = new Map();

export function createGarble(): Garble {
  const words = new Map<string, string>();
  let isCut = false;
  const shown = (row: SlurmJob): SlurmJob => {
    const word = words.get(row.jobId);
    return word === undefined ? row : { ...row, state: word };
  };
  return {
    garble: (jobId, how) => void words.set(jobId, how.kind === "state" ? how.word : noState),
    cut: () => void (isCut = true),
    clear() {
      words.clear();
      isCut = false;
    },
    get isCut() {
      return isCut;
    },
    get isOn() {
      return words.size > 0;
    },
    shown,
    sort(all) {
      if (words.size === 0) return { jobs: all, unreadable: nobody };
      const jobs = new Map<string, SlurmJob>();
      const unreadable = new Map<string, UnreadableRow>();
      for (const [jobId, row] of all) {
        const seen = shown(row);
        if (seen.state === noState)
          unreadable.set(jobId, { why: `State is ${JSON.stringify(noState)}`, shown: shownOf(row) });
        else jobs.set(jobId, seen);
      }
      return { jobs, unreadable };
    },
  };
}
