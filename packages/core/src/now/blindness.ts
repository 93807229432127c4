/**
 * blindness: what recovery relies on and nobody sees now. While there is any, a quiet picture says nothing.
 *
 * Takes         the last report of SAC, the lease, and how many covered jobs run and are read.
 * Gives         the worst first. Empty: everything is seen.
 * Pure, total
 * Keeps         invariant 6: unknown is not healthy. Silence of SAC hides what it said before.
 */
import { limits } from "../limits.ts";
import type { Instant } from "../nouns.ts";

export const blindnessKinds = [
  "sac-never-seen",
  "sac-silent",
  "scheduler-unreadable",
  "lease-lost",
  "logs-unwatched",
  "logs-unreadable",
] as const;

export interface Blindness {
  readonly kind: (typeof blindnessKinds)[number];
  readonly says: string;
  readonly whatToDo: string;
  /** Absent: it is not known since when. */
  readonly since?: Instant;
}

export interface Sight {
  readonly pass?: {
    /** The look that was heard last, and the last complete one: when they were taken, at the earliest, by the clock of who asks. */
    readonly heardAt: Instant;
    readonly unavailable?: string;
    readonly completeHeardAt?: Instant;
    readonly mode: string;
  };
  readonly lease?: { readonly expiresAt: Instant };
  /** Covered attempts that run; of these, whose logs a watcher holds; of these, with a log that cannot be read whole. */
  readonly running: number;
  readonly watched: number;
  readonly unreadable: number;
}

export function blindnessOf(sight: Sight, now: Instant): readonly Blindness[] {
  return [...ofScheduler(sight, now), ...ofLogs(sight)];
}

function ofScheduler({ pass, lease }: Sight, now: Instant): readonly Blindness[] {
  if (pass === undefined)
    return [
      {
        kind: "sac-never-seen",
        says: "Nobody has looked at Slurm yet: no SAC has ever reported.",
        whatToDo: "Start SAC on a host where `squeue` works: `reprise up`, or `reprise sac`.",
      },
    ];
  // Our own clock may have been set back since.
  if (Math.abs(now - pass.heardAt) > limits.sacSilentMs)
    return [
      {
        kind: "sac-silent",
        says: "SAC is silent. What is shown of Slurm is as old as its last report, and nothing is carried out.",
        whatToDo: "Is SAC running, and does it reach this server? Its log says; `reprise doctor` on its host.",
        since: pass.heardAt,
      },
    ];
  const lost = pass.mode === "act" && (lease === undefined || lease.expiresAt <= now);
  return [
    ...(pass.unavailable === undefined
      ? []
      : [
          {
            kind: "scheduler-unreadable" as const,
            says: `Slurm cannot be read: ${pass.unavailable}`,
            whatToDo: "Nothing is decided from what is not seen. `reprise doctor` on SAC's host says what is wrong.",
            ...(pass.completeHeardAt === undefined ? {} : { since: pass.completeHeardAt }),
          },
        ]),
    ...(lost
      ? [
          {
            kind: "lease-lost" as const,
            says: "Nobody holds the right to act: the lease has run out, and no step is taken.",
            whatToDo: "SAC takes it again within seconds when it can. Its log says why it does not.",
            ...(lease === undefined ? {} : { since: lease.expiresAt }),
          },
        ]
      : []),
  ];
}

function ofLogs({ running, watched, unreadable }: Sight): readonly Blindness[] {
  const unwatched = running - watched;
  return [
    ...(unwatched > 0
      ? [
          {
            kind: "logs-unwatched" as const,
            says: `No watcher reads the logs of ${unwatched} of ${running} running jobs: a failure there is not seen.`,
            whatToDo: "Is a watcher running, and does `targets_max` allow so many? Its log says.",
          },
        ]
      : []),
    ...(unreadable > 0
      ? [
          {
            kind: "logs-unreadable" as const,
            says: `Logs of ${unreadable} running ${unreadable === 1 ? "job" : "jobs"} cannot be read whole: silence in them means nothing.`,
            whatToDo: "Each job's page names the file and the reason.",
          },
        ]
      : []),
  ];
}
