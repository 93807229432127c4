/** attempts-axis: all attempts of a job on one axis of time, as wide as they lasted, with the failure in each. */
import { Link } from "@tanstack/react-router";
import type { AttemptStoryJson } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { dateTime, duration, instant } from "../words/time.ts";
import { slurmOf, stateWord } from "../words/wire-words.ts";
import { rootAtOf, startedAtOf } from "./story.ts";

export function AttemptsAxis({
  jobId,
  attempts,
  chosen,
  now,
}: {
  readonly jobId: string;
  readonly attempts: readonly AttemptStoryJson[];
  readonly chosen: number;
  readonly now: number;
}) {
  const spans = attempts.map((story) => spanOf(story, now));
  const from = Math.min(...spans.map((span) => span.from));
  const to = Math.max(...spans.map((span) => span.to), from + 1);
  const percent = (at: number) => `${(100 * (at - from)) / (to - from)}%`;
  return (
    <figure className="axis" aria-label={`${attempts.length} attempts from ${dateTime(from)} to ${dateTime(to)}`}>
      <ul>
        {spans.map(({ index, state, ...span }) => (
          <li key={index}>
            <Link
              to="/jobs/$jobId"
              params={{ jobId }}
              search={{ attempt: String(index) }}
              aria-current={index === chosen ? "true" : undefined}
            >
              attempt {index}
            </Link>
            <span className="track">
              <span
                className={`bar-of ${state}`}
                style={{
                  insetInlineStart: percent(span.from),
                  width: `max(3px, ${(100 * (span.to - span.from)) / (to - from)}%)`,
                }}
              />
              {span.rootAt === undefined ? null : (
                <span className="root-mark" style={{ insetInlineStart: percent(span.rootAt) }} title="the root line" />
              )}
            </span>
            <span className="faint">
              {state.toLowerCase()} · {duration(span.to - span.from)}
            </span>
          </li>
        ))}
      </ul>
      <figcaption className="faint">
        <span>{dateTime(from)}</span>
        <span>{to >= now - 2_000 ? "now" : dateTime(to)}</span>
      </figcaption>
    </figure>
  );
}

function spanOf(story: AttemptStoryJson, now: number) {
  const { job } = story;
  const state = stateWord(job?.state);
  const slurm = slurmOf(job);
  const from = startedAtOf(story) ?? instant(job?.createdAt) ?? now;
  const isAlive = state === "RUNNING" || state === "PENDING";
  const to = isAlive ? now : Math.max(slurm.endTime ?? instant(job?.lastSeen) ?? now, from);
  const rootAt = rootAtOf(story);
  return {
    index: job?.attemptIndex ?? 0,
    state,
    from,
    to,
    rootAt: rootAt === undefined ? undefined : Math.min(Math.max(rootAt, from), to),
  };
}
