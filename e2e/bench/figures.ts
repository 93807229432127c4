/**
 * figures: what one recovery took, and many of them as a spread.
 *
 * Takes         times in ms since the epoch, and Explain's seconds since the root line was read.
 * Gives         seconds. A figure that a kind of fault does not have is absent, never 0.
 * Pure, total
 */
import { quantile } from "@reprise/core/figures/quantile.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { instant } from "@reprise/cli/render/time.ts";
import type { WireStory } from "@reprise/cli/wire.ts";
import type { JobKind } from "./jobs.ts";

/** In the order of the loop. */
export const figureNames = [
  "detect",
  "decide",
  "act",
  "running",
  "resumed",
  "converged",
  "decidable → Advice",
  "Advice → hold",
  "decidable → hold",
  "hold → PENDING",
  "PENDING → RUNNING",
] as const;
export type FigureName = (typeof figureNames)[number];
export type Figures = Partial<Record<FigureName, number>>;

export interface Recovery {
  readonly kind: JobKind;
  readonly faultAt: Instant;
  /** Of the failed attempt. */
  readonly story: WireStory;
  /** When Slurm first showed the successor pending, and running. */
  readonly pendingAt: Instant;
  readonly runningAt: Instant;
}

export function figuresOf({ kind, faultAt, story, pendingAt, runningAt }: Recovery): Figures {
  const rootAt = instant(String(story.seconds?.["rootAt"]));
  const explained = (name: string): number | undefined => {
    const value = story.seconds?.[name];
    return rootAt === undefined || typeof value !== "number" ? undefined : (rootAt - faultAt) / 1000 + value;
  };
  const adviceAt = instant(story.advice?.[0]?.createdAt);
  const heldAt = instant(story.steps?.find((s) => s.action === "requeue-hold" && s.outcome === "done")?.endedAt);
  const decidableAt = kind === "exit" ? faultAt : graceEnd(story, rootAt);
  return present({
    detect: kind === "exit" ? undefined : explained("detect"), // No line says anything: nothing is detected before the end.
    decide: explained("decide"),
    act: explained("act"),
    running: explained("running"),
    resumed: explained("resumed"),
    converged: explained("converged"),
    "decidable → Advice": between(decidableAt, adviceAt),
    "Advice → hold": between(adviceAt, heldAt),
    "decidable → hold": between(decidableAt, heldAt),
    "hold → PENDING": between(heldAt, Math.max(pendingAt, heldAt ?? pendingAt)), // Seen by a look that came before the command's answer: at once.
    "PENDING → RUNNING": between(pendingAt, runningAt),
  });
}

/** A fatal line of a running job counts after this silence. The benchmark's steps are too short to make it longer. */
function graceEnd(story: WireStory, rootAt: Instant | undefined): Instant | undefined {
  if (rootAt === undefined) return undefined;
  return Math.max(rootAt, instant(story.progress?.lastStepAt) ?? rootAt) + limits.fatalGraceMs;
}

const between = (from: Instant | undefined, to: Instant | undefined) =>
  from === undefined || to === undefined ? undefined : (to - from) / 1000;

function present(figures: Record<FigureName, number | undefined>): Figures {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined)) as Figures;
}

/** The shortest, the median and the longest. */
export interface Extent {
  readonly count: number;
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** Undefined: there are none. */
export function extentOf(values: readonly number[]): Extent | undefined {
  const [min, middle, max] = [0, 0.5, 1].map((share) => quantile(values, share));
  if (min === undefined || middle === undefined || max === undefined) return undefined;
  return { count: values.length, min, median: middle, max };
}
