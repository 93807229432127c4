/**
 * result: what the demo proves, as one JSON object; and whether all of it is true.
 *
 * Takes         only what was read back through the HTTP API, and from the job's own output and files.
 * Pure, total   what is not known is null, and then nothing was recovered.
 */
import type { FaultKind, FaultRecord } from "@reprise/slurm-lab/training-files.ts";
import { instant } from "../render/time.ts";
import type { Scheduler } from "./cluster.ts";
import {
  desiredOf,
  dispositionOf,
  reasonOf,
  statusOf,
  type WireExplain,
  type WireJob,
  type WireStory,
} from "../wire.ts";

export interface Seen {
  readonly scheduler: Scheduler;
  readonly faultKind: FaultKind;
  readonly jobId: string;
  /** `GET /v1/jobs/by-scheduler-id/…`, attempt index ascending. */
  readonly jobs: readonly WireJob[];
  readonly explain: WireExplain | undefined;
  readonly fault: FaultRecord | undefined;
  /** The newest checkpoint file while no attempt ran. */
  readonly checkpointStep: number | undefined;
  /** The last step line of attempt 0. */
  readonly lastStepBeforeFault: number | undefined;
  /** Of `result.json`, which the program writes at its end. */
  readonly hasResult: boolean;
}

export interface DemoResult {
  /** For a loss of throughput, from which nothing recovers: it was told, and the job was left alone and completed. */
  readonly recovered: boolean;
  readonly simulated: boolean;
  /** What the job ran on. */
  readonly scheduler: Scheduler;
  readonly jobId: string;
  readonly attempts: readonly {
    readonly attemptIndex: number;
    readonly state: string;
    readonly nodes: readonly string[];
  }[];
  readonly advice: {
    readonly desiredState: string;
    readonly disposition: string;
    readonly reason: string;
    readonly exclusions: readonly string[];
    readonly generation: number;
  } | null;
  /** The loss of throughput, in the watcher's words. */
  readonly slowdown: string | null;
  readonly resumedFromStep: number | null;
  readonly lastStepBeforeFault: number | null;
  readonly completed: boolean;
  /** Since the fatal line was written; `detect` is null where no line says anything. */
  readonly seconds: Readonly<Record<"detect" | "decide" | "act" | "running" | "resumed" | "converged", number | null>>;
}

export function resultOf(seen: Seen): DemoResult {
  const { jobId, scheduler, jobs, explain, checkpointStep, lastStepBeforeFault } = seen;
  const first = explain?.attempts?.[0];
  const advice = adviceOf(first);
  const attempts = jobs.map((job) => ({
    attemptIndex: job.attemptIndex ?? 0,
    state: statusOf(job),
    nodes: [...(job.nodes ?? [])],
  }));
  const resumed = first?.stages?.resumedFromStep;
  const resumedFromStep = resumed === undefined ? null : Number(resumed);
  const last = attempts.at(-1);
  const completed = seen.hasResult && last?.state === "COMPLETED";
  const seconds = secondsSinceFault(seen.fault, first);
  const excluded = advice?.exclusions ?? [];
  const slowdown = slowdownOf(first);
  const isLeftAlone = completed && attempts.length === 1 && advice === null && slowdown !== null;
  const hasComeBack =
    completed &&
    attempts.length === 2 &&
    advice?.desiredState === "RESTARTED" &&
    advice.disposition === "CONVERGED" &&
    resumedFromStep !== null &&
    resumedFromStep === checkpointStep &&
    !excluded.some((node) => last?.nodes.includes(node)) &&
    isWhole(seconds);
  return {
    recovered: seen.faultKind === "slow" ? isLeftAlone : hasComeBack,
    simulated: scheduler === "simulated",
    scheduler,
    jobId,
    attempts,
    advice,
    slowdown,
    resumedFromStep,
    lastStepBeforeFault: lastStepBeforeFault ?? null,
    completed,
    seconds,
  };
}

/** Where Slurm's end state is all there is, no line was detected; everything else is known of a job that has come back. */
function isWhole({ detect, ...others }: DemoResult["seconds"]): boolean {
  return (detect ?? 0) >= 0 && Object.values(others).every((value) => value !== null && value >= 0);
}

function slowdownOf(story: WireStory | undefined): string | null {
  return (story?.signals ?? []).find((signal) => signal.cause === "throughput-lost")?.detail ?? null;
}

function adviceOf(story: WireStory | undefined): DemoResult["advice"] {
  const advice = story?.advice?.at(-1);
  if (advice === undefined) return null;
  return {
    desiredState: desiredOf(advice),
    disposition: dispositionOf(advice),
    reason: reasonOf(advice),
    exclusions: [...(advice.nodeConstraints?.exclusions ?? [])],
    generation: Number(advice.generation ?? 0),
  };
}

/** The API counts from the moment at which the line was read; here it counts from when it was written. */
function secondsSinceFault(fault: FaultRecord | undefined, story: WireStory | undefined): DemoResult["seconds"] {
  const [writtenAt, rootAt] = [instant(fault?.at), instant(String(story?.seconds?.["rootAt"]))];
  const since = (key: string) => {
    const value = story?.seconds?.[key];
    if (writtenAt === undefined || rootAt === undefined || typeof value !== "number") return null;
    return Math.round(rootAt - writtenAt + value * 1000) / 1000;
  };
  return {
    detect: since("detect"),
    decide: since("decide"),
    act: since("act"),
    running: since("running"),
    resumed: since("resumed"),
    converged: since("converged"),
  };
}
