/**
 * story: all that is known of one job as a list of moments, in the order of time.
 *
 * Takes   the server's `ExplainResponse`.
 * Gives   every moment that has a time, each said once. Of one instant: as they follow from each other.
 * Pure    Nothing is inferred: what has no time of its own in the answer is no moment.
 */
import type { AdviceJson } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import type { AttemptStoryJson, StepReportJson } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { instant } from "../words/time.ts";
import {
  adviceSentence,
  dispositionWord,
  reasonWord,
  slurmOf,
  stateWord,
  statusSentence,
} from "../words/wire-words.ts";

export interface Moment {
  readonly at: number;
  /** Who says it. */
  readonly by: "slurm" | "training" | "watcher" | "server" | "sac" | "watchdog" | "person";
  readonly says: string;
  readonly tone: "calm" | "bad" | "busy" | "good" | "warn";
  readonly attemptIndex: number;
  /** A line of a log, or Slurm's words. */
  readonly line?: string | undefined;
}

export function momentsOf(attempts: readonly AttemptStoryJson[]): readonly Moment[] {
  const told = attempts.flatMap((attempt, i) => momentsOfAttempt(attempt, attempts[i - 1]));
  return told
    .map((moment, i) => ({ moment, i }))
    .sort((a, b) => a.moment.at - b.moment.at || a.i - b.i)
    .map(({ moment }) => moment);
}

/** When it began to fail: also of what is only silent so far, and of what nobody may recover. */
export const rootAtOf = ({ seconds, incident }: AttemptStoryJson): number | undefined =>
  instant(seconds?.rootAt) ?? instant(incident?.root?.at);

/** By Slurm; of an attempt that waits it shows when it might start. */
export const startedAtOf = ({ job }: AttemptStoryJson): number | undefined =>
  stateWord(job?.state) === "PENDING" ? undefined : slurmOf(job).startTime;

type Told = Omit<Moment, "at" | "attemptIndex">;

function momentsOfAttempt(story: AttemptStoryJson, before: AttemptStoryJson | undefined): readonly Moment[] {
  const { job, progress = {}, incident, advice = [], steps = [], overrides = [], seconds = {} } = story;
  const attemptIndex = job?.attemptIndex ?? 0;
  const slurm = slurmOf(job);
  const rootAt = rootAtOf(story);
  const moments: Moment[] = [];
  const say = (at: number | undefined, told: Told) => {
    if (at !== undefined && at > 0) moments.push({ at, attemptIndex, ...told });
  };
  const nodes = job?.nodes ?? [];
  say(startedAtOf(story), {
    by: "slurm",
    tone: "calm",
    says: `attempt ${attemptIndex} starts${nodes.length === 0 ? "" : ` on ${nodesText(nodes)}`}`,
  });
  const { trainingResumedAt, resumedFromStep } = before?.stages ?? {};
  say(instant(trainingResumedAt), {
    by: "training",
    tone: "good",
    says: `training resumed${resumedFromStep === undefined ? "" : ` from step ${resumedFromStep}`}`,
  });
  if (trainingResumedAt === undefined)
    say(instant(progress.firstStepAt), {
      by: "training",
      tone: "good",
      says: `first step seen: ${progress.firstStep ?? "?"}`,
    });
  const root = incident?.root;
  say(
    rootAt,
    root === undefined
      ? {
          by: "slurm",
          tone: "bad",
          says: "the failure, as Slurm shows it",
          line: advice.at(-1)?.issues?.[0]?.evidence?.[0]?.line,
        }
      : {
          by: "training",
          tone: "bad",
          says: `root line: ${root.cause || root.kind}${(root.nodes ?? []).length === 0 ? "" : ` on ${nodesText(root.nodes ?? [])}`}`,
          line: root.evidence?.line,
        },
  );
  if (rootAt !== undefined && typeof seconds.detect === "number")
    say(rootAt + seconds.detect * 1_000, { by: "watcher", tone: "calm", says: "seen, and reported to the server" });
  for (const one of advice) sayAdvice(one, say);
  for (const step of steps) say(instant(step.endedAt) ?? instant(step.begunAt), stepTold(step));
  for (const { at, action, by = "", reason = "" } of overrides)
    say(instant(at), { by: "person", tone: "warn", says: `${by} orders ${action}: ${reason}` });
  sayEnd(story, attemptIndex, slurm.endTime, say);
  return moments;
}

function sayAdvice(advice: AdviceJson, say: (at: number | undefined, told: Told) => void): void {
  const { generation = "1", because = "", createdAt, updatedAt, reconciliationStatus: status } = advice;
  // Only the first generation is as old as the Advice itself.
  say(instant(generation === "1" ? createdAt : updatedAt), {
    by: "server",
    tone: "busy",
    says: `Advice ${generation}: ${adviceSentence(advice)}, because ${because}`,
  });
  const isOver = dispositionWord(advice) === "CONVERGED" || dispositionWord(advice) === "ABANDONED";
  if (isOver || reasonWord(advice) === "OBSERVE_MODE")
    say(instant(status?.observedAt), {
      by: "sac",
      tone: dispositionWord(advice) === "CONVERGED" ? "good" : "warn",
      says: statusSentence(advice),
      line: isOver ? undefined : status?.message,
    });
}

const stepWords: Readonly<Record<string, string>> = {
  "requeue-hold": "requeued, and held: it may not start yet",
  "update-constraints": "constrained: its next attempt keeps away from the excluded nodes",
  release: "released: it may start",
  "set-start": "its start is moved",
  cancel: "cancelled",
  "repair-dependency": "a dependency is mended",
  "watchdog-release": "released by the watchdog",
  "refused-by-gate": "not allowed to act here",
};

function stepTold({ action = "", outcome = "", detail = "" }: StepReportJson): Told {
  const words = stepWords[action] ?? action;
  const by = action.startsWith("watchdog") ? ("watchdog" as const) : ("sac" as const);
  if (outcome === "done" || action === "refused-by-gate")
    return { by, tone: action === "refused-by-gate" ? "warn" : "busy", says: words, line: detail || undefined };
  return {
    by,
    tone: "warn",
    says: `${action}: ${outcome === "" ? "begun, and no end is known" : outcome}`,
    line: detail || undefined,
  };
}

function sayEnd(
  { job }: AttemptStoryJson,
  attemptIndex: number,
  endTime: number | undefined,
  say: (at: number | undefined, told: Told) => void,
): void {
  const state = stateWord(job?.state);
  if (state === "RUNNING" || state === "PENDING") return;
  const slurm = slurmOf(job);
  const words = slurm.slurmState === undefined || slurm.slurmState === state ? state : `${state} (${slurm.slurmState})`;
  say(endTime, {
    by: "slurm",
    tone: state === "COMPLETED" ? "good" : state === "FAILED" ? "bad" : "calm",
    says: `attempt ${attemptIndex} ends: ${words}`,
  });
}

const nodesShownMax = 6;
export const nodesText = (nodes: readonly string[]): string =>
  nodes.length <= nodesShownMax
    ? nodes.join(" ")
    : `${nodes.slice(0, nodesShownMax).join(" ")} and ${nodes.length - nodesShownMax} more`;
