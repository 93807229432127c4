/**
 * quantile: the one definition of a percentile, for the product and for what measures it: by nearest rank.
 *
 * Gives         a value that was measured, and that at least `share` of all values are not above; never one in between. The median of
 *               an even count is the lower of the middle two. Undefined of nothing.
 * Pure, total
 * Source        docs/figures.md; docs/decisions/0026. PostgreSQL's `percentile_disc` is the same.
 */

/** @param share 0.9: nine of ten are not above it. */
export const quantile = (values: readonly number[], share: number): number | undefined =>
  quantileOfSorted(
    values.toSorted((a, b) => a - b),
    share,
  );

export const median = (values: readonly number[]): number | undefined => quantile(values, 0.5);

/** @param sorted Ascending: for several quantiles of the same values. */
export const quantileOfSorted = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];

export interface Spread {
  readonly count: number;
  readonly mean: number;
  readonly median: number;
  readonly p95: number;
}

/** Undefined: there are no values. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [middle, p95] = [quantileOfSorted(sorted, 0.5), quantileOfSorted(sorted, 0.95)];
  if (middle === undefined || p95 === undefined) return undefined;
  return { count: sorted.length, mean: sorted.reduce((sum, v) => sum + v, 0) / sorted.length, median: middle, p95 };
}
