/** scale: where a value stands on a drawing, and which values its edge names. Pure. */

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** @returns from a value in `of` to a place in `on`; what lies outside lands outside. */
export function scaleOf(of: Range, on: Range): (value: number) => number {
  const length = of.to - of.from || 1;
  return (value) => on.from + ((value - of.from) / length) * (on.to - on.from);
}

const roundParts = [1, 2, 5, 10];

/** At most `max` round numbers in the range, the first of them not before its beginning. */
export function roundTicks({ from, to }: Range, max: number): readonly number[] {
  const least = (to - from) / max;
  if (!(least > 0) || !Number.isFinite(least)) return [from];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * (roundParts.find((part) => part * power >= least) ?? 10);
  return ticksOf({ from, to }, step);
}

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
const timeSteps = [1, 2, 5, 10, 15, 30]
  .map((n) => n * second)
  .concat([1, 2, 5, 10, 15, 30].map((n) => n * minute))
  .concat([1, 2, 3, 6, 12].map((n) => n * hour))
  .concat([1, 2, 7, 14, 28].map((n) => n * day));

/** The same for instants: whole minutes, hours or days. @param offsetMs Of the local time before UTC: days begin at midnight here. */
export function timeTicks({ from, to }: Range, max: number, offsetMs: number): readonly number[] {
  const least = (to - from) / max;
  const step = timeSteps.find((one) => one >= least) ?? Math.ceil(least / day) * day;
  return ticksOf({ from: from - offsetMs, to: to - offsetMs }, step).map((at) => at + offsetMs);
}

function ticksOf({ from, to }: Range, step: number): readonly number[] {
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, i) => (first + i) * step);
}
