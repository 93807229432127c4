/** vital-words: a silence and a change of speed in a sentence for a person. Pure, total. */
import type { Silence } from "./hang.ts";
import type { Change } from "./slowdown.ts";

export function ofSilence({ isInLoop, silentMs, allowedMs, because }: Silence, ranks: readonly number[]): string {
  const what = isInLoop ? "no further step" : "no first step";
  const behind =
    ranks.length === 0 ? "" : `; ${ranks.length === 1 ? "rank" : "ranks"} ${listed(ranks)} behind the others`;
  return `${what} for ${span(silentMs)}; ${because} allows ${span(allowedMs)}${behind}`;
}

/** What a restart would cost, and what the loss does, as far as the log tells. */
export interface Cost {
  /** Steps that are left, where the log prints how many there are. */
  readonly stepsLeft: number | undefined;
  /** From the start of the attempt to its first step, and the work since the last checkpoint (ms). */
  readonly restartMs: number | undefined;
}

export function ofChange({ kind, share, beforeMs, nowMs, since }: Change, { stepsLeft, restartMs }: Cost): string {
  const [before, now] = [stepTime(beforeMs), stepTime(nowMs)];
  if (kind === "regained") return `a step takes ${now} again, since step ${since.step}`;
  const percent = `${Math.round(share * 1000) / 10} %`;
  if (kind === "gained") return `steps are ${percent} shorter since step ${since.step}: ${now} instead of ${before}`;
  const lostMs = stepsLeft === undefined ? undefined : stepsLeft * (nowMs - beforeMs);
  const loss =
    lostMs === undefined
      ? `an hour loses ${span(3_600_000 * (1 - beforeMs / nowMs))}`
      : `the ${stepsLeft} steps left lose ${span(lostMs)}`;
  const cost = restartMs === undefined ? "" : `; a restart costs about ${span(restartMs)}`;
  return `steps are ${percent} longer since step ${since.step}: ${now} instead of ${before}; ${loss}${cost}`;
}

const listed = (ranks: readonly number[]) =>
  `${ranks.slice(0, 8).join(", ")}${ranks.length > 8 ? " and more" : ""} ${ranks.length === 1 ? "is" : "are"}`;

function stepTime(ms: number): string {
  return ms < 1000 ? `${ms.toPrecision(3)} ms` : `${(ms / 1000).toPrecision(4)} s`;
}

/** `12 s`, `31 min`, `3.4 h` */
function span(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  return minutes < 120 ? `${Math.round(minutes)} min` : `${Math.round(minutes / 6) / 10} h`;
}
