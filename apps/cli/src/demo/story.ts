/**
 * story: what the demo tells, made from what a person could see too: the API's answers, the job's log and its files.
 *
 * In the loop   facts, again and again → **chapters** → lines in the terminal
 * Pure, total   the same facts tell the same chapters; the teller prints each one once.
 * Keeps         a chapter is told only when it has been seen; nothing is inferred (invariant 5).
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { FaultRecord, StepLine } from "@reprise/slurm-lab/training-files.ts";
import { instant } from "../render/time.ts";
import { desiredOf, dispositionOf, statusOf, type WireAdvice, type WireExplain, type WireStory } from "../wire.ts";

export interface Facts {
  readonly explain: WireExplain | undefined;
  readonly fault: FaultRecord | undefined;
  readonly stepLines: readonly StepLine[];
}

/** One thing that happened. `who` is where it was seen. */
export interface Chapter {
  readonly key: string;
  /** Where its own time is known; else it is told when it was seen. */
  readonly at?: Instant | undefined;
  /** Key of the chapter that must have been told before: the job's log may be seen before its record. */
  readonly after?: string;
  readonly who: "slurm" | "training" | "watcher" | "server" | "sac";
  readonly text: string;
}

/** Step lines are told one in so many. */
const tellEverySteps = 25;

export function chapters({ explain, fault, stepLines }: Facts): readonly Chapter[] {
  const attempts = explain?.attempts ?? [];
  return [
    ...attempts.slice(0, 1).flatMap(started),
    ...told(stepLines),
    ...(fault === undefined ? [] : [faultChapter(fault)]),
    ...attempts.flatMap(recovery),
    ...attempts.slice(1).flatMap((attempt) => [...started(attempt), ...resumed(attempt)]),
    ...attempts.slice(-1).flatMap(ended),
  ];
}

const indexOf = (story: WireStory) => story.job?.attemptIndex ?? 0;
const runningKey = (attempt: number) => `running ${attempt}`;

function started(story: WireStory): Chapter[] {
  const nodes = story.job?.nodes ?? [];
  if (nodes.length === 0) return [];
  const at = story.job?.schedulerMetadata?.slurm?.startTime; // Whole seconds; absent once the next attempt is known.
  const text = `job ${story.job?.jobId} is running on ${nodes.join(" and ")} (attempt ${indexOf(story)})`;
  return [{ key: runningKey(indexOf(story)), at, who: "slurm", text }];
}

/** The attempts append to one log: where the step falls, the next attempt begins. */
function told(lines: readonly StepLine[]): Chapter[] {
  let attempt = 0;
  return lines.flatMap((line, i) => {
    const before = lines[i - 1];
    const isFall = before !== undefined && line.step <= before.step;
    if (isFall) attempt++;
    if (before !== undefined && !isFall && line.step % tellEverySteps !== 0) return [];
    const text = `step ${line.step} of ${line.steps}, loss ${line.loss.toFixed(4)}`;
    return [{ key: `step ${i}`, after: runningKey(attempt), who: "training", text }];
  });
}

const faultWords: Readonly<Record<FaultRecord["kind"], string>> = {
  ecc: "prints an ECC error and stays alive, stuck",
  exit: "fails and exits",
  signal: "dies of a signal",
  hang: "stops, silently",
  nan: "computes NaN from now on",
  slow: "becomes slow",
};

function faultChapter({ at, rank, node, kind, step }: FaultRecord): Chapter {
  const text = `FAULT at step ${step}: rank ${rank} on ${node} ${faultWords[kind]}`;
  return { key: "fault", at: instant(at), after: runningKey(0), who: "training", text };
}

function recovery(story: WireStory): Chapter[] {
  return [
    ...signal(story),
    ...slowdowns(story),
    ...grace(story),
    ...(story.advice ?? []).flatMap((advice) => adviceChapters(advice, story)),
    ...steps(story),
  ];
}

function signal(story: WireStory): Chapter[] {
  const root = (story.signals ?? []).find((s) => s.root === true);
  if (root === undefined) return [];
  const at = instant(root.at);
  const evidence = root.evidence?.line?.trim() ?? "";
  const { kind, cause, detail = "" } = root; // The server writes "" where there is none.
  const text = `signal: ${kind}, ${detail === "" ? cause : detail}`;
  return [
    { key: `signal ${indexOf(story)}`, at, who: "watcher", text },
    { key: `evidence ${indexOf(story)}`, at, who: "watcher", text: `  “${evidence}”` },
  ];
}

/** A loss of throughput is no root: it is told, and left alone. */
function slowdowns(story: WireStory): Chapter[] {
  const changes = (story.signals ?? []).filter(({ kind }) => kind === "slowdown");
  return changes.map((change): Chapter => {
    const text = `signal: ${change.cause}: ${change.detail ?? ""}`;
    return { key: `slowdown ${change.cause} ${change.at}`, at: instant(change.at), who: "watcher", text };
  });
}

/** Only of the decision that stands now; seen while it does. */
function grace({ decision, ...story }: WireStory): Chapter[] {
  if (decision?.because !== "grace") return [];
  const isSilent = (story.signals ?? []).some(({ root, kind }) => root === true && kind === "hang");
  const text = isSilent
    ? "silence, and the job still runs: does one more look find a step?"
    : "a fatal line, and the job still runs: does it take a further step?";
  return [{ key: `grace ${indexOf(story)}`, at: instant(decision.decidedAt), who: "server", text }];
}

function adviceChapters(advice: WireAdvice, story: WireStory): Chapter[] {
  const attempt = indexOf(story);
  const desired = desiredOf(advice);
  const without = advice.nodeConstraints?.exclusions ?? [];
  const words = `Advice ${advice.generation}: ${desired}${without.length > 0 ? ` without ${without.join(", ")}` : ""}, because ${advice.because}`;
  const issued: Chapter = {
    key: `advice ${attempt} ${advice.generation}`,
    at: instant(advice.createdAt),
    who: "server",
    text: words,
  };
  const status = advice.reconciliationStatus;
  const disposition = dispositionOf(advice);
  if (disposition === "PENDING" || disposition === "") return [issued];
  const verb = disposition === "CONVERGED" ? "confirmed by a second look" : "abandoned";
  return [
    issued,
    {
      key: `status ${attempt} ${disposition}`,
      at: instant(status?.observedAt),
      who: "sac",
      text: `${verb}: ${status?.message}`,
    },
  ];
}

function steps(story: WireStory): Chapter[] {
  const without = story.advice?.at(-1)?.nodeConstraints?.exclusions ?? [];
  return (story.steps ?? []).flatMap((step, i) => {
    const text = stepWords(step.action, without);
    if (text === undefined || step.outcome !== "done") return [];
    return [{ key: `sac ${indexOf(story)} ${i}`, at: instant(step.endedAt), who: "sac", text }];
  });
}

/** Undefined: a step that only serves another one. */
function stepWords(action: string | undefined, without: readonly string[]): string | undefined {
  switch (action) {
    case "requeue-hold":
      return "held: the job is requeued and may not start yet";
    case "update-constraints":
      return without.length > 0
        ? `constrained: its next attempt keeps away from ${without.join(", ")}`
        : "constrained as its author asked";
    case "release":
      return "released: it may start";
    case "set-start":
      return "Slurm's restart delay is skipped";
    case "cancel":
      return "cancelled";
    default:
      return undefined;
  }
}

function resumed(story: WireStory): Chapter[] {
  const step = story.progress?.resumedFromStep;
  if (step === undefined) return [];
  const [key, after, at] = [
    `resumed ${indexOf(story)}`,
    runningKey(indexOf(story)),
    instant(story.progress?.resumedAt),
  ];
  return [{ key, at, after, who: "watcher", text: `training resumed from step ${step}` }];
}

function ended(story: WireStory): Chapter[] {
  const state = statusOf(story.job);
  if (!["COMPLETED", "FAILED", "CANCELLED", "DELETED"].includes(state)) return [];
  return [{ key: `ended ${indexOf(story)} ${state}`, who: "slurm", text: `job ${story.job?.jobId}: ${state}` }];
}
