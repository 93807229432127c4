/**
 * answers: what somebody who was woken asks, in that order: what failed, why we think so, what was decided, whether it happened, what is
 * still open, and what can be done.
 */
import type { ReactNode } from "react";
import type { LogContextJson } from "@reprise/protocol/gen/reprise/v1/course_pb.ts";
import type { AttemptStoryJson, SignalGroupJson, SignalJson } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { Ago } from "../parts/clock.tsx";
import { Words } from "../parts/words.tsx";
import { counted } from "../words/counted.ts";
import { printable } from "../words/printable.ts";
import { clockTime, duration, instant } from "../words/time.ts";
import { adviceSentence, dispositionWord, desiredWord, stateWord } from "../words/wire-words.ts";
import { LogContext } from "./log-context.tsx";
import { Stages } from "./stages.tsx";
import { nodesText } from "./story.ts";

export function Answers({ story, controls }: { readonly story: AttemptStoryJson; readonly controls: ReactNode }) {
  const { advice = [], decision, advised, stoppedBy = "", whatToDo = "", job } = story;
  const newest = advice.at(-1);
  const main = advised ?? decision;
  return (
    <dl className="answers">
      <Answer question="What failed">
        <Failure story={story} />
      </Answer>
      <Answer question="Why we think so">
        {main === undefined ? (
          <span className="faint">No decision was made about it yet.</span>
        ) : (
          <p>
            <b>{main.because}</b>: {printable(main.sentence ?? "")}
          </p>
        )}
        {advised !== undefined && decision !== undefined ? (
          <p className="faint">
            Said since: {decision.because}: {printable(decision.sentence ?? "")}
          </p>
        ) : null}
      </Answer>
      <Answer question="What was decided">
        {newest === undefined ? (
          <span className="faint">Nothing is advised.</span>
        ) : (
          <p>
            <b>{adviceSentence(newest)}</b>{" "}
            <span className="faint">
              generation {newest.generation}, <Ago at={newest.updatedAt} />
              {newest.active === true ? (
                <>
                  , expires <Ago at={newest.expiresAt} />
                </>
              ) : (
                ""
              )}
            </span>
          </p>
        )}
      </Answer>
      <Answer question="Whether it happened">
        {newest === undefined ? <span className="faint">There was nothing to do.</span> : <Stages story={story} />}
      </Answer>
      <Answer question="What is open">
        {stoppedBy !== "" ? (
          <p>
            <b>Recovery is stopped by {stoppedBy}.</b>
          </p>
        ) : (
          <p>{openWords(story)}</p>
        )}
        {(story.unreadLogs ?? []).map(({ path, why, readAt }) => (
          <p key={path} className="warn-text">
            ⚠ {printable(path ?? "")} is not read whole: {printable(why ?? "")}; read <Ago at={readAt} />. Silence in it
            means nothing.
          </p>
        ))}
      </Answer>
      <Answer question="What you may do">
        {whatToDo === "" ? null : (
          <p>
            <Words of={whatToDo} />
          </p>
        )}
        {controls}
        <p className="terminal">
          In a terminal:{" "}
          <code>
            reprise explain {printable(job?.jobId ?? "")} --attempt {job?.attemptIndex ?? 0}
          </code>
        </p>
      </Answer>
    </dl>
  );
}

function Answer({ question, children }: { readonly question: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{question}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function openWords({ advice = [], job, stages = {} }: AttemptStoryJson): string {
  const newest = advice.at(-1);
  const state = stateWord(job?.state);
  if (newest === undefined)
    return state === "RUNNING"
      ? "Nothing: it runs."
      : state === "FAILED"
        ? "It failed, and nothing is advised."
        : "Nothing.";
  if (dispositionWord(newest) === "PENDING")
    return newest.active === true
      ? "The Advice is still being carried out."
      : "The Advice is past, and was not carried out.";
  if (desiredWord(newest) === "RESTARTED" && stages.trainingResumedAt === undefined)
    return "Training was not seen to resume.";
  return "Nothing.";
}

function Failure({ story: { incident, advice = [], job } }: { readonly story: AttemptStoryJson }) {
  const root = incident?.root;
  const issue = advice.at(-1)?.issues?.[0];
  if (root === undefined && issue === undefined)
    return (
      <span className="faint">
        {stateWord(job?.state) === "FAILED" ? "It failed, and no line says why." : "No failure is known."}
      </span>
    );
  return (
    <>
      {root === undefined ? (
        <p>
          {printable(issue?.summary ?? "")} <span className="faint">as Slurm shows it; no line says why</span>
        </p>
      ) : (
        <Root signal={root} context={incident?.rootContext} />
      )}
      <Folded title="and with it" groups={incident?.consequences ?? []} />
      <Folded title="survived" groups={incident?.survived ?? []} />
    </>
  );
}

function Root({
  signal: { cause, causeClass = "", kind, nodes = [], rank, evidence, detail = "", at },
  context,
}: {
  readonly signal: SignalJson;
  readonly context: LogContextJson | undefined;
}) {
  const root = instant(at);
  return (
    <>
      <p>
        <b>{cause || kind}</b> {causeClass === "" ? "" : `(${causeClass})`}{" "}
        {nodes.length === 0 ? "" : `on ${nodesText(nodes)}`}
        {rank === undefined ? "" : `, rank ${rank}`}
        {root === undefined ? (
          ""
        ) : (
          <span className="faint">
            {" "}
            at {clockTime(root)}, <Ago at={at} />
          </span>
        )}
      </p>
      <LogContext line={evidence?.line ?? ""} context={context} />
      <p className="faint place">
        {evidence?.source === "node-log" ? "the node’s own log: " : ""}
        {printable(evidence?.path ?? "")}
        {evidence?.offset === undefined ? "" : `, byte ${evidence.offset}`} {printable(detail)}
      </p>
    </>
  );
}

/** Hundreds of ranks say the same: one line for each cause. */
function Folded({ title, groups }: { readonly title: string; readonly groups: readonly SignalGroupJson[] }) {
  if (groups.length === 0) return null;
  const lines = groups.reduce((sum, { count = 1 }) => sum + count, 0);
  return (
    <details className="folded">
      <summary>
        {title}: {counted(lines, "line")} of {counted(groups.length, "kind")}
      </summary>
      <ul className="lines">
        {groups.map(({ kind, cause = "", count = 1, ranks = 0, nodes = [], paths = [], firstAt, lastAt }) => {
          const [first, last] = [instant(firstAt), instant(lastAt)];
          return (
            <li key={`${kind} ${cause} ${firstAt}`}>
              {kind} <b>{printable(cause)}</b> {count > 1 ? `×${count}` : ""} {ranks > 1 ? `from ${ranks} ranks` : ""}{" "}
              {nodes.length === 0 ? "" : `on ${nodesText(nodes)}`} {paths.length > 1 ? `in ${paths.length} files` : ""}
              {first !== undefined && last !== undefined && last > first ? (
                <span className="faint"> within {duration(last - first)}</span>
              ) : null}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
