/**
 * as-watched: a running attempt as its author wants it watched, and what is only reported of it.
 *
 * In the loop   Situation, Policy → **what may be acted on** → rules
 * Pure, total
 * Keeps         a detector that the author turned off causes nothing while the attempt runs. Of an attempt that has failed every line
 *               may be the cause.
 */
import type { Issue, Policy } from "../nouns.ts";
import { isSilence } from "../situation/silence.ts";
import type { Situation } from "../situation/situation.ts";
import { none } from "./answer.ts";
import { causeClasses } from "./cause-class.ts";
import type { NoAdvice } from "./decision.ts";

export function asWatched(s: Situation, { anomalyDetection }: Policy): Situation {
  if (s.scheduler.kind !== "seen" || s.scheduler.value !== "running") return s;
  const lines = anomalyDetection.logBasedCrash ? s.roots.filter((root) => !isSilence(root)) : [];
  const silence = anomalyDetection.logBasedTimeout ? s.silence : undefined;
  const roots = silence === undefined ? lines : [...lines, silence];
  return { ...s, silence, roots, root: roots[0] };
}

/** A loss of throughput that stands: told, and left alone. Whether a restart would pay is said, not decided. */
export function slowness(s: Situation, { anomalyDetection }: Policy): NoAdvice | undefined {
  if (!anomalyDetection.slowdown) return undefined;
  const changes = s.signals.filter((signal) => signal.kind === "slowdown");
  const last = changes.toSorted((a, b) => a.at - b.at).at(-1);
  if (last?.cause !== "throughput-lost") return undefined;
  const summary = last.detail ?? causeClasses.slowdown.words;
  const issue: Issue = {
    kind: "slowdown",
    domain: last.domain ?? causeClasses.slowdown.domain,
    cause: last.cause,
    causeClass: "slowdown",
    summary,
    nodes: last.nodes,
    evidence: [last.evidence],
    detectedAt: last.at,
  };
  const sentence = `Training has slowed down, and is left alone: ${summary}.`;
  return { ...none("slowdown", sentence, { withdraw: true }), evidence: issue.evidence, issues: [issue] };
}
