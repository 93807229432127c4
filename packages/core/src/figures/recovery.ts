/**
 * recovery: what many recoveries were like: how often, how fast, what stopped them, what they were worth.
 *
 * In the loop   records → **figures** → people
 * Pure, total
 * Keeps         what was not seen is in no figure, and never 0; scheduler recovered, training resumed and training completed are
 *               counted each by itself (invariant 5).
 * Source        docs/figures.md.
 */
import type { CauseClass, DesiredState, Disposition, Domain, Instant, ReconciliationReason } from "../nouns.ts";
import { ordered } from "../override/override.ts";
import { type Spread, spreadOf } from "./quantile.ts";

/** When each thing was first known of one recovery. Absent: it was not seen. */
export interface RecoveryTimes {
  /** The root line was written (as its reader saw it), or Slurm showed the end. */
  readonly rootAt: Instant;
  /** The server had taken the root line in. Absent where no line says anything. */
  readonly detectedAt?: Instant;
  /** The first Advice. */
  readonly decidedAt: Instant;
  /** The requeue or the cancellation was carried out. */
  readonly actedAt?: Instant;
  readonly releasedAt?: Instant;
  /** The successor ran. */
  readonly runningAt?: Instant;
  /** The training said that it goes on from a step. */
  readonly resumedAt?: Instant;
  /** The second look agreed. */
  readonly convergedAt?: Instant;
}

const moments = {
  detect: "detectedAt",
  decide: "decidedAt",
  act: "actedAt",
  released: "releasedAt",
  running: "runningAt",
  resumed: "resumedAt",
  converged: "convergedAt",
} as const;
export type Moment = keyof typeof moments;
export const momentNames = Object.keys(moments) as readonly Moment[];

/** Seconds since the root. */
export type Seconds = { readonly [M in Moment]?: number };

export function secondsOf(times: RecoveryTimes): Seconds {
  const told = Object.entries(moments).flatMap(([moment, key]) => {
    const at = times[key];
    return at === undefined ? [] : [[moment, Math.round(at - times.rootAt) / 1000] as const];
  });
  return Object.fromEntries(told);
}

/** One attempt about which a restart or an end was advised: how it stands, and its times. */
export interface RecoveryRecord extends RecoveryTimes {
  readonly heimdallJobId: string;
  readonly desired: Exclude<DesiredState, "RELEASED">;
  /** Of the generation that counts, as the rest. */
  readonly because: string;
  readonly causeClass: CauseClass;
  readonly domain: Domain;
  readonly disposition: Disposition;
  readonly reason: ReconciliationReason;
  readonly isWithdrawn: boolean;
  readonly expiresAt: Instant;
  /** A later attempt of the job completed. */
  readonly completedAt?: Instant;
  readonly nodes: number;
  /** False: its signals and steps have gone for their age. */
  readonly hasDetails: boolean;
}

export const outcomes = [
  "restarted",
  "stopped",
  "overtaken",
  "given-up",
  "withdrawn",
  "expired",
  "observed",
  "open",
] as const;
export type Outcome = (typeof outcomes)[number];

/** What of a recovery says how it stands. */
type Standing = Pick<RecoveryRecord, "disposition" | "reason" | "isWithdrawn" | "expiresAt"> & {
  readonly desired: DesiredState;
};

export function outcomeOf(r: Standing, now: Instant): Outcome {
  if (r.isWithdrawn) return "withdrawn";
  if (r.disposition === "ABANDONED") return r.reason === "SUPERSEDED" ? "overtaken" : "given-up";
  if (r.disposition === "CONVERGED") return r.desired === "RESTARTED" ? "restarted" : "stopped";
  if (r.expiresAt <= now) return "expired";
  return r.reason === "OBSERVE_MODE" ? "observed" : "open";
}

/** The bound or class of an end; why SAC gave up, or may not act. Undefined: nothing stopped it. */
function stopOf({ isWithdrawn, disposition, reason, desired, because }: RecoveryRecord): string | undefined {
  if (isWithdrawn || reason === "SUPERSEDED") return undefined; // A later attempt is there: nothing was stopped.
  if (disposition === "ABANDONED" || reason === "OBSERVE_MODE") return reason;
  return desired === "TERMINATED" ? because : undefined;
}

/** Its times say how fast recovery is. What a person ordered waited for the person. */
export const isTimed = (r: RecoveryRecord): boolean => r.hasDetails && !r.isWithdrawn && r.because !== ordered;

export interface RecoveryFigures {
  readonly recoveries: number;
  readonly withoutDetails: number;
  readonly byCause: readonly {
    readonly causeClass: CauseClass;
    readonly domain: Domain;
    readonly outcome: Outcome;
    readonly count: number;
  }[];
  readonly stoppedBy: readonly { readonly bound: string; readonly count: number }[];
  readonly stages: {
    readonly schedulerRecovered: number;
    readonly trainingResumed: number;
    readonly trainingCompleted: number;
  };
  readonly times: { readonly [M in Moment]?: Spread };
  readonly saved: { readonly recoveries: number; readonly hours: number; readonly nodeHours: number };
}

const hourMs = 3_600_000;

/** @param manualRestartMs How long a person would have taken from the root to the training going on: an assumption of the caller's. */
export function recoveryFiguresOf(
  records: readonly RecoveryRecord[],
  manualRestartMs: number,
  now: Instant,
): RecoveryFigures {
  const restarts = records.filter(({ desired }) => desired === "RESTARTED");
  const timed = records.filter(isTimed);
  const seconds = timed.map(secondsOf);
  const spreads = momentNames.flatMap((moment) => {
    const spread = spreadOf(seconds.flatMap((told) => told[moment] ?? []));
    return spread === undefined ? [] : [[moment, spread] as const];
  });
  const resumed = timed.flatMap(({ rootAt, resumedAt, nodes, desired }) =>
    resumedAt === undefined || desired !== "RESTARTED" ? [] : [{ ms: manualRestartMs - (resumedAt - rootAt), nodes }],
  );
  const groups = counted(
    records,
    (r) => ({ causeClass: r.causeClass, domain: r.domain, outcome: outcomeOf(r, now) }) as const,
  );
  const stops = records.flatMap((r) => stopOf(r) ?? []);
  return {
    recoveries: records.length,
    withoutDetails: records.filter(({ hasDetails }) => !hasDetails).length,
    byCause: groups,
    stoppedBy: counted(stops, (bound) => ({ bound })),
    stages: {
      schedulerRecovered: restarts.filter(({ disposition }) => disposition === "CONVERGED").length,
      trainingResumed: restarts.filter(({ resumedAt }) => resumedAt !== undefined).length,
      trainingCompleted: restarts.filter(({ completedAt }) => completedAt !== undefined).length,
    },
    times: Object.fromEntries(spreads),
    saved: {
      recoveries: resumed.length,
      hours: resumed.reduce((sum, { ms }) => sum + ms, 0) / hourMs,
      nodeHours: resumed.reduce((sum, { ms, nodes }) => sum + ms * nodes, 0) / hourMs,
    },
  };
}

/** How many there are of each kind: the most first, ties by their words. */
export function counted<T, K extends object>(
  all: readonly T[],
  kindOf: (one: T) => K,
): readonly (K & { count: number })[] {
  const kinds = Map.groupBy(all.map(kindOf), (kind) => Object.values(kind).join("\n"));
  return [...kinds]
    .toSorted(([a, many], [b, more]) => more.length - many.length || (a < b ? -1 : 1))
    .flatMap(([, same]) => same.slice(0, 1).map((kind) => ({ ...kind, count: same.length })));
}
