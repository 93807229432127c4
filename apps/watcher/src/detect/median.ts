/** median: the middle of some numbers, and a quantile by nearest rank. Pure; undefined of nothing. */
export function median(values: readonly number[]): number | undefined {
  return quantile(values, 0.5);
}

/** @param share 0.9: nine of ten are not above it. */
export function quantile(values: readonly number[], share: number): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)];
}
