/** course-axes: the edges of a drawing over time: which values stand where. */
import { clockTime, dateTime } from "../words/time.ts";
import { type Range, timeTicks } from "./scale.ts";

/** Beside the drawing, in pixels. */
export const left = 58;
export const right = 10;
const dayMs = 86_400_000;
/** Between two times that are named. */
const apart = 110;

interface ValueAxisOf {
  readonly ticks: readonly number[];
  readonly place: (value: number) => number;
  readonly width: number;
  readonly words: (value: number) => string;
  readonly name: string;
  readonly y: number;
}

export function ValueAxis({ ticks, place, width, words, name, y }: ValueAxisOf) {
  return (
    <g className="scale">
      <text x={left + 4} y={y + 4} className="name">
        {name}
      </text>
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={left} x2={width - right} y1={place(tick)} y2={place(tick)} />
          <text x={left - 6} y={place(tick) + 4} textAnchor="end">
            {words(tick)}
          </text>
        </g>
      ))}
    </g>
  );
}

export function TimeAxis({
  time,
  x,
  y,
  width,
}: {
  readonly time: Range;
  readonly x: (at: number) => number;
  readonly y: number;
  readonly width: number;
}) {
  const offsetMs = new Date(time.from).getTimezoneOffset() * 60_000;
  const isLong = time.to - time.from > 2 * dayMs;
  const words = (at: number) => (isLong ? dateTime(at).slice(5, 16) : clockTime(at).slice(0, 8));
  return (
    <g className="scale">
      {timeTicks(time, Math.max(1, Math.floor((width - left) / apart)), offsetMs).map((at) => (
        <text key={at} x={Math.min(width - right - 28, x(at))} y={y + 16} textAnchor="middle">
          {words(at)}
        </text>
      ))}
    </g>
  );
}
