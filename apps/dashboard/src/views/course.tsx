/**
 * course: the curve of one attempt: its steps over time with their checkpoints, below it how long one took, with the baseline; in both the
 * times in which it was silent or slow. Whoever does not see it has the same as a sentence and as a table.
 */
import { type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import { counted } from "../words/counted.ts";
import { clockTime, duration } from "../words/time.ts";
import { type DrawnCourse, kindWords, longestDrawn, type Point, summaryOf } from "./course-words.ts";
import { left, right, TimeAxis, ValueAxis } from "./course-axes.tsx";
import { CourseTable } from "./course-table.tsx";
import { type Range, roundTicks, scaleOf } from "./scale.ts";

/** Of the drawing, in pixels. */
const height = { steps: 120, times: 90, gap: 22, axis: 20 };

interface Told {
  readonly course: DrawnCourse;
  readonly rootAt: number | undefined;
  /** Now, by the server's clock: up to there lasts what lasts. */
  readonly now: number;
}

export function Course({ course, rootAt, now }: Told) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [pointed, setPointed] = useState<Point>();
  const { points, checkpoints } = course;
  const shown = pointed ?? points.at(-1);
  return (
    <figure className="course">
      <div ref={box}>
        {width === 0 ? null : (
          <Drawing course={course} rootAt={rootAt} now={now} width={width} pointed={pointed} point={setPointed} />
        )}
      </div>
      <figcaption>
        <Legend course={course} rootAt={rootAt} />
        {shown === undefined ? null : (
          <span className="read-out">
            {clockTime(shown.at)} step {shown.step}
            {shown.stepMs === undefined ? "" : `, ${duration(shown.stepMs)} a step`}
          </span>
        )}
      </figcaption>
      <details className="folded">
        <summary>
          The same as a table: {counted(points.length, "point")}, {counted(checkpoints.length, "checkpoint")}
        </summary>
        <CourseTable course={course} />
      </details>
    </figure>
  );
}

function useWidth(box: { readonly current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return width;
}

/** The words beside each mark: no colour is the only sign of anything. */
function Legend({ course, rootAt }: { readonly course: DrawnCourse; readonly rootAt: number | undefined }) {
  const kinds = [...new Set(course.windows.map(({ kind }) => kind))];
  return (
    <ul className="legend">
      {course.checkpoints.length === 0 ? null : <li>▲ checkpoint</li>}
      {course.baselineMs === undefined ? null : <li>┄ usual time of a step: {duration(course.baselineMs)}</li>}
      {kinds.map((kind) => (
        <li key={kind} className={kind}>
          ▨ {kindWords[kind]}
        </li>
      ))}
      {rootAt === undefined ? null : <li className="bad">┃ the root line</li>}
    </ul>
  );
}

interface DrawingOf extends Told {
  readonly width: number;
  readonly pointed: Point | undefined;
  readonly point: (point: Point | undefined) => void;
}

function Drawing({ course, rootAt, now, width, pointed, point }: DrawingOf) {
  const { points, checkpoints, windows, baselineMs } = course;
  const time = timeOf(course, rootAt, now);
  const steps = rangeOf(points.map(({ step }) => step));
  const longest = longestDrawn(course);
  const top = height.steps + height.gap;
  const bottom = top + height.times;
  const x = scaleOf(time, { from: left, to: width - right });
  const stepY = scaleOf(steps, { from: height.steps, to: 8 });
  const timeY = scaleOf({ from: 0, to: longest }, { from: bottom, to: top });
  const place = (value: number) => Math.max(top, timeY(value));
  const timed = points.filter((one) => one.stepMs !== undefined);
  const look = (event: PointerEvent<SVGSVGElement>) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
    point(points.reduce<Point | undefined>((near, one) => nearer(near, one, (p) => Math.abs(x(p.at) - at)), undefined));
  };
  return (
    <svg
      role="img"
      aria-label={summaryOf(course)}
      width={width}
      height={bottom + height.axis}
      onPointerMove={look}
      onPointerLeave={() => point(undefined)}
    >
      <defs>
        <pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect className="stripe" width="2" height="6" />
        </pattern>
      </defs>
      {windows.map((window) => {
        const [from, to] = [x(window.from), x(window.to ?? time.to)];
        const box = { x: from, y: 8, width: Math.max(3, to - from), height: bottom - 8 };
        return (
          <g key={`${window.kind} ${window.from}`} className={`window ${window.kind}`}>
            <rect {...box} className="plain" />
            <rect {...box} fill="url(#stripes)" />
          </g>
        );
      })}
      <ValueAxis ticks={roundTicks(steps, 3)} place={stepY} width={width} words={String} name="step" y={8} />
      <ValueAxis
        ticks={roundTicks({ from: 0, to: longest }, 3)}
        place={timeY}
        width={width}
        words={(ms) => duration(ms)}
        name="a step"
        y={top}
      />
      <TimeAxis time={time} x={x} y={bottom} width={width} />
      <polyline className="curve" points={pathOf(points, x, ({ step }) => stepY(step))} />
      <polyline className="curve" points={pathOf(timed, x, ({ stepMs = 0 }) => place(stepMs))} />
      {baselineMs === undefined ? null : (
        <line className="baseline" x1={left} x2={width - right} y1={timeY(baselineMs)} y2={timeY(baselineMs)} />
      )}
      {checkpoints.map(({ at, step }) => (
        <path
          key={at}
          className="checkpoint"
          d={triangleAt(x(at), stepY(Math.min(steps.to, Math.max(steps.from, step))))}
        />
      ))}
      {rootAt === undefined ? null : <line className="root-line" x1={x(rootAt)} x2={x(rootAt)} y1={2} y2={bottom} />}
      {pointed === undefined ? null : <circle className="pointed" cx={x(pointed.at)} cy={stepY(pointed.step)} r={4} />}
    </svg>
  );
}

function nearer(near: Point | undefined, one: Point, away: (point: Point) => number): Point {
  return near === undefined || away(one) < away(near) ? one : near;
}

function timeOf({ points, windows }: DrawnCourse, rootAt: number | undefined, now: number): Range {
  const known = [...points.map(({ at }) => at), ...windows.flatMap(({ from, to }) => [from, to ?? now])];
  return rangeOf(rootAt === undefined ? known : [...known, rootAt]);
}

const rangeOf = (values: readonly number[]): Range => ({
  from: values.reduce((least, value) => Math.min(least, value), values[0] ?? 0),
  to: values.reduce((most, value) => Math.max(most, value), values[0] ?? 0),
});

function pathOf(points: readonly Point[], x: (at: number) => number, y: (point: Point) => number): string {
  return points.map((one) => `${x(one.at).toFixed(1)},${y(one).toFixed(1)}`).join(" ");
}

const triangleAt = (x: number, y: number): string => `M${x.toFixed(1)} ${(y + 3).toFixed(1)}l4 8h-8z`;
