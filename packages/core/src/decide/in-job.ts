/**
 * in-job: what a launcher did by itself inside one attempt: started the workers again, and how often for the same root.
 *
 * In the loop   part of decide
 * Pure, total
 * Keeps         in-job restarts count towards the limit of failures without progress (design §6): a launcher that comes back
 *               to the same end for ever is not getting anywhere.
 * Source        torch elastic (`--max-restarts`), NVIDIA resiliency extension (`ft_launcher`)
 */
import type { Signal } from "../nouns.ts";
import type { Situation } from "../situation/situation.ts";
import { sameRoot } from "./root-key.ts";

/** The signature of the line by which a launcher says that it starts the workers again. */
const restartCause = "in-job-restart";
/** Ranks that fail together say so within this. */
const togetherMs = 20_000;

export interface InJobRestarts {
  /** The workers were started again after the root, and have not failed since. */
  readonly isUnderWay: boolean;
  /** Ends of the same root in this attempt, one a start of the workers, and no step beyond them. */
  readonly sameEnds: number;
}

export function inJobRestarts({ signals, root }: Pick<Situation, "signals" | "root">): InJobRestarts {
  if (root === undefined) return { isUnderWay: false, sameEnds: 0 };
  const ends = signals.filter((s) => s.root && sameRoot(s, root) && s.at >= root.at).toSorted((a, b) => a.at - b.at);
  const restarts = signals.filter((s) => s.cause === restartCause && s.at > root.at);
  const lastEnd = ends.at(-1)?.at ?? root.at;
  return { isUnderWay: restarts.some((r) => r.at > lastEnd), sameEnds: apart(ends, restarts) };
}

function apart(ends: readonly Signal[], restarts: readonly Signal[]): number {
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (const { at } of ends) {
    if (at - last > togetherMs && (count === 0 || restarts.some((r) => r.at > last && r.at < at))) count++;
    last = at;
  }
  return count;
}
