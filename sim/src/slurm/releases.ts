/**
 * releases: what the releases of Slurm do otherwise than each other, as far as recovery meets it.
 *
 * Takes    a release as `25.11`, or one with its patch. One that nobody has tried does as the newest that was.
 * Source   slurm.md for 22.05.8; slurm-new.md for 25.11.7 and 26.05.3, whose numbers are in brackets here.
 */

export interface ReleaseTraits {
  /** As `scontrol show config` prints it. */
  readonly version: string;
  /** A key of each attempt, and the columns `SLUID` and `ExcNodes` of `squeue -O` (5, section 3). */
  readonly hasSluid: boolean;
  /** `squeue --json` honours -j, has numbers as objects and states as lists (8, 9). */
  readonly json: "22.05" | "24.05";
  /** `exit_code` is `7:0`, not a raw wait status (section 3). */
  readonly showsExitAsPair: boolean;
  /** Killed by a signal: the reason that shows (12). */
  readonly namesSignals: boolean;
  /** A requeue of what had finished before slurmctld started is COMPLETING for so long (3). Absent: it is PENDING at once. */
  readonly lingersMs?: number;
  /** A missing output folder is made (13). */
  readonly makesOutputFolder: boolean;
  /** Dependents are judged so soon after their parent ended (14). Absent: with the next scheduling pass. */
  readonly judgesDependentsAfterMs?: number;
  /** RequeueExit leaves a job of --no-requeue alone (16). */
  readonly heedsNoRequeue: boolean;
  /** `requeue_delay`, and `sbatch --requeue=expedite` (6, 17). */
  readonly hasRequeueOptions: boolean;
  /** slurmd tells attempts apart by their keys: none is killed for a credential of the second in which the one before ended (7). */
  readonly matchesCredentialsByKey: boolean;
}

const old: ReleaseTraits = {
  version: "22.05.8",
  hasSluid: false,
  json: "22.05",
  showsExitAsPair: false,
  namesSignals: false,
  makesOutputFolder: false,
  heedsNoRequeue: false,
  hasRequeueOptions: false,
  matchesCredentialsByKey: false,
};

const newest: ReleaseTraits = {
  version: "26.05.3",
  hasSluid: true,
  json: "24.05",
  showsExitAsPair: true,
  namesSignals: true,
  makesOutputFolder: true,
  judgesDependentsAfterMs: 8,
  heedsNoRequeue: true,
  hasRequeueOptions: true,
  matchesCredentialsByKey: true,
};

const known: ReadonlyMap<string, ReleaseTraits> = new Map([
  ["22.05", old],
  // Two were timed: 58 and 59 s.
  ["25.11", { ...newest, version: "25.11.7", lingersMs: 58_500 }],
  ["26.05", newest],
]);

export function traitsOf(release: string): ReleaseTraits {
  return known.get(release) ?? { ...newest, version: release };
}
