/**
 * baseline: what one step of this attempt usually takes.
 *
 * In the loop   step times in bins → **baseline** → slowdown
 * Gives         the logarithm of the median step time and its robust spread; undefined while training still warms up.
 * Pure, total
 * Keeps         it is learnt from a stretch that is level: a ramp (compilation, caches that fill) is none. And early: a loss that
 *               creeps in over days is a loss.
 */
import { median } from "@reprise/core/figures/quantile.ts";

export interface Baseline {
  /** Of ln(ms). */
  readonly middle: number;
  /** Of ln(ms): the median distance from it, as a standard deviation, at least `spreadMin`. */
  readonly spread: number;
}

/** It is made better by later bins up to so many; then it stands. */
export const baselineBinsMax = 120;
/** Bins that are not listened to: the first steps compile and fill caches. */
export const warmUpBins = 5;
export const baselineBins = 30;
const spreadMin = 0.005;
/** The two halves may differ by so many spreads of their medians, or by `levelMin`. */
const levelSpreads = 1;
const levelMin = 0.01;
const toDeviation = 1.4826; // Of a normal distribution: standard deviation over median distance.

/** @param bins All that may count, each ln(ms). */
export function baselineOf(bins: readonly number[]): Baseline | undefined {
  if (bins.length < baselineBins) return undefined;
  const latest = bins.slice(-baselineBinsMax);
  const middle = median(latest)!;
  const spread = Math.max(spreadMin, toDeviation * median(latest.map((bin) => Math.abs(bin - middle)))!);
  const half = latest.length >> 1;
  const drift = Math.abs(median(latest.slice(0, half))! - median(latest.slice(half))!);
  return drift <= Math.max(levelMin, levelSpreads * spread) ? { middle, spread } : undefined;
}
