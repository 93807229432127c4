/** time-line: the moments of a job one below the other, with the seconds between: a recovery is told in seconds, training in hours. */
import { printable } from "../words/printable.ts";
import { clockTime, dateTime, duration } from "../words/time.ts";
import type { Moment } from "./story.ts";

/** Shorter than that two moments are one. */
const apartMs = 50;

export function TimeLine({
  moments,
  now,
  isOpen,
}: {
  readonly moments: readonly Moment[];
  readonly now: number;
  readonly isOpen: boolean;
}) {
  const last = moments.at(-1);
  return (
    <ol className="time-line">
      {moments.map((moment, i) => {
        const before = moments[i - 1];
        const gap = before === undefined ? 0 : moment.at - before.at;
        return (
          <li key={`${moment.at} ${moment.says} ${i}`} className={moment.tone}>
            <span className="gap">{gap < apartMs ? "" : `+${duration(gap)}`}</span>
            <time dateTime={new Date(moment.at).toISOString()} title={dateTime(moment.at)}>
              {clockTime(moment.at)}
            </time>
            <span className="by">{moment.by}</span>
            <span className="says">
              {printable(moment.says)}
              {moment.line === undefined || moment.line === "" ? null : (
                <code className="line">{printable(moment.line)}</code>
              )}
            </span>
          </li>
        );
      })}
      {isOpen && last !== undefined ? (
        <li className="calm">
          <span className="gap">+{duration(now - last.at)}</span>
          <time>now</time>
          <span className="by" />
          <span className="says faint">nothing more is known yet</span>
        </li>
      ) : null}
    </ol>
  );
}
