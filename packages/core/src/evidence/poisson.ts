/**
 * poisson: how likely so many failures are by chance alone.
 *
 * Pure, total
 */

/**
 * @param mean  Of the distribution, 0 or more.
 * @returns     The chance of `count` or more events, 0 to 1. Above the mean the terms themselves are summed, so that a small chance is
 *              exact and not the difference of two large ones.
 */
export function poissonTail(count: number, mean: number): number {
  if (count <= 0) return 1;
  if (mean <= 0) return 0;
  if (count <= mean) return 1 - sumOf(mean, 0, count);
  return sumOf(mean, count, Infinity);
}

/** The terms from `from` on, up to `end`, as far as they count: beyond the mean each is smaller than the one before it. */
function sumOf(mean: number, from: number, end: number): number {
  let sum = 0;
  for (let k = from; k < end; k++) {
    const term = Math.exp(k * Math.log(mean) - mean - logFactorial(k));
    sum += term;
    if (k > mean && term <= sum * 1e-15) break;
  }
  return Math.min(1, sum);
}

function logFactorial(n: number): number {
  let sum = 0;
  for (let k = 2; k <= n; k++) sum += Math.log(k);
  return sum;
}
