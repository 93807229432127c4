/**
 * shadow: what would have been done to jobs that recovery only observed, held against what really happened to them.
 *
 * In the loop   records → **shadow** → people, before they let it act
 * Pure, total
 * Keeps         `would-have-been-wrong` is never talked away: a running job that went on would have lost its time, whatever came after.
 *               What nobody can know is `not-known`, and in no hours.
 * Source        docs/figures.md, "What would have been".
 */
import type { DesiredState, Instant, JobStatus } from "../nouns.ts";
import { counted } from "./recovery.ts";

/** Every canary is of this workflow: it fails on purpose, so that nothing follows from it. */
export const canaryWorkflow = "reprise-canary";

/** An attempt about which a restart or an end was advised, that was observed only, and to which nothing was done by us. */
export interface ShadowRecord {
  readonly heimdallJobId: string;
  readonly cluster: string;
  readonly jobId: string;
  readonly attemptIndex: number;
  readonly workflowId: string;
  readonly jobName?: string;
  /** Of the first Advice. */
  readonly desired: Exclude<DesiredState, "RELEASED">;
  readonly because: string;
  /** The root line was written, or Slurm showed the end. */
  readonly rootAt: Instant;
  readonly decidedAt: Instant;
  readonly nodes: number;
  /** The attempt as it stands now. */
  readonly status: JobStatus;
  readonly endedAt?: Instant;
  readonly lastStepAt?: Instant;
  /** Somebody, or Slurm, requeued it: the next attempt was first seen; it started. */
  readonly requeuedAt?: Instant;
  readonly restartedAt?: Instant;
  /** A later attempt completed. */
  readonly completedAt?: Instant;
  /** The next job of the same name, user and workflow after its end, within a day. */
  readonly resubmittedAs?: string;
  readonly resubmittedAt?: Instant;
  readonly resubmitStartedAt?: Instant;
}

export const shadowVerdicts = ["would-have-recovered", "would-have-been-wrong", "no-difference", "not-known"] as const;
export type ShadowVerdict = (typeof shadowVerdicts)[number];

/** What really happened. */
export type ShadowFate =
  | "requeued"
  | "resubmitted"
  | "stayed-failed"
  | "completed-by-itself"
  | "went-on"
  | "came-back"
  | "cancelled"
  | "still-runs"
  | "ended-otherwise";

export interface ShadowStory {
  readonly record: ShadowRecord;
  readonly verdict: ShadowVerdict;
  readonly fate: ShadowFate;
  /** Against what happened; only of what would have recovered. Negative: it was back sooner than a restart of ours. */
  readonly savedMs?: number;
}

/** How long each takes, in ms: assumptions, told with the answer. */
export interface ShadowAssumptions {
  /** From the root until a person has it running again, where nobody has. */
  readonly manualRestartMs: number;
  /** From the Advice until it runs again, carried out by us. */
  readonly ownRestartMs: number;
}

/** A line that was written before the Advice may be read after it. */
const readLateMs = 10_000;

export function shadowStoryOf(record: ShadowRecord, assumed: ShadowAssumptions): ShadowStory {
  const [verdict, fate] = judge(record);
  if (verdict !== "would-have-recovered") return { record, verdict, fate };
  const backAt = backOf(record, fate, assumed);
  const saved = backAt === undefined ? {} : { savedMs: backAt - (record.decidedAt + assumed.ownRestartMs) };
  return { record, verdict, fate, ...saved };
}

function judge(r: ShadowRecord): readonly [ShadowVerdict, ShadowFate] {
  if (r.desired === "TERMINATED") return judgeEnd(r);
  const run = judgeRun(r);
  if (run !== undefined) return run;
  if (r.requeuedAt !== undefined) return ["would-have-recovered", "requeued"];
  if (r.resubmittedAt !== undefined) return ["would-have-recovered", "resubmitted"];
  if (r.status === "FAILED") return ["would-have-recovered", "stayed-failed"];
  return ["not-known", r.status === "CANCELLED" ? "cancelled" : "ended-otherwise"];
}

/** An end for good: wrong where the job was worth going on with. */
function judgeEnd(r: ShadowRecord): readonly [ShadowVerdict, ShadowFate] {
  if (r.completedAt !== undefined) return ["would-have-been-wrong", "came-back"];
  const run = judgeRun(r);
  if (run !== undefined) return run;
  if (r.requeuedAt !== undefined) return ["not-known", "requeued"];
  if (r.status === "FAILED") return ["no-difference", "stayed-failed"];
  return ["not-known", r.status === "CANCELLED" ? "cancelled" : "ended-otherwise"];
}

/** Where its run would have been cut off. Undefined: it had ended by then, or has ended since without going on. */
function judgeRun(r: ShadowRecord): readonly [ShadowVerdict, ShadowFate] | undefined {
  if (!ranAtAdvice(r)) return undefined;
  if (r.status === "COMPLETED") return ["would-have-been-wrong", "completed-by-itself"];
  if (wentOn(r)) return ["would-have-been-wrong", "went-on"];
  return isAlive(r) ? ["not-known", "still-runs"] : undefined;
}

const ranAtAdvice = ({ endedAt, decidedAt }: ShadowRecord) => endedAt === undefined || endedAt > decidedAt;
const wentOn = ({ lastStepAt, decidedAt }: ShadowRecord) =>
  lastStepAt !== undefined && lastStepAt > decidedAt + readLateMs;
const isAlive = ({ status }: ShadowRecord) => status === "RUNNING" || status === "PENDING";

/** When it ran again without us. Undefined: it has been put back, and has not started. */
function backOf(r: ShadowRecord, fate: ShadowFate, { manualRestartMs }: ShadowAssumptions): Instant | undefined {
  if (fate === "requeued") return r.restartedAt;
  return fate === "resubmitted" ? r.resubmitStartedAt : r.rootAt + manualRestartMs;
}

export interface ShadowFigures {
  /** In the order of `shadowVerdicts`; of each verdict the most frequent first. */
  readonly counts: readonly {
    readonly verdict: ShadowVerdict;
    readonly fate: ShadowFate;
    readonly count: number;
  }[];
  readonly saved: { readonly recoveries: number; readonly hours: number; readonly nodeHours: number };
}

const hourMs = 3_600_000;

export function shadowFiguresOf(stories: readonly ShadowStory[]): ShadowFigures {
  const counts = counted(stories, ({ verdict, fate }) => ({ verdict, fate }));
  const rank = ({ verdict }: Pick<ShadowStory, "verdict">) => shadowVerdicts.indexOf(verdict);
  const saved = stories.flatMap(({ savedMs, record }) =>
    savedMs === undefined ? [] : [{ hours: savedMs / hourMs, nodeHours: (savedMs * record.nodes) / hourMs }],
  );
  return {
    counts: counts.toSorted((a, b) => rank(a) - rank(b)),
    saved: {
      recoveries: saved.length,
      hours: saved.reduce((sum, { hours }) => sum + hours, 0),
      nodeHours: saved.reduce((sum, { nodeHours }) => sum + nodeHours, 0),
    },
  };
}
