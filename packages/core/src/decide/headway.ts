/**
 * headway: whether an attempt brought the training further than those before it.
 *
 * In the loop   part of decide
 * Pure, total
 * Keeps         progress is a step number that grew beyond every earlier attempt, or a newer checkpoint; never output.
 *               An attempt that loaded an older checkpoint than was saved is only told of the first time, since an author may want
 *               that (broken numbers, a bad checkpoint): its own new steps count. Twice in a row they do not.
 * Source        design §6.
 */
import type { Progress } from "../nouns.ts";
import type { EarlierFacts } from "../situation/situation.ts";

export interface Run {
  readonly progress: Progress;
  /** Attempts before it, oldest first. */
  readonly earlier: readonly EarlierFacts[];
}

export function madeProgress(run: Run): boolean {
  const reached = stepOf(run.progress);
  if (reached > Math.max(-1, ...run.earlier.map(({ progress }) => stepOf(progress)))) return true;
  const loaded = wentBack(run);
  const before = run.earlier.at(-1);
  if (loaded === undefined || before === undefined || reached <= loaded.from) return false;
  return wentBack({ progress: before.progress, earlier: run.earlier.slice(0, -1) }) === undefined;
}

/** The step that it resumed from, when an attempt before it had saved a later one. */
export function wentBack({ progress, earlier }: Run): { readonly from: number; readonly saved: number } | undefined {
  const from = progress.resumedFromStep;
  const saved = Math.max(-1, ...earlier.map((e) => e.progress.checkpointStep ?? -1));
  return from !== undefined && from < saved ? { from, saved } : undefined;
}

/** The highest step that was reached or saved. */
function stepOf({ lastStep = -1, checkpointStep = -1 }: Progress): number {
  return Math.max(lastStep, checkpointStep);
}
