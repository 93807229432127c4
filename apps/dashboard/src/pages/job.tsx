/** job: the whole story of one scheduler job, for whoever must know at three in the morning. */
import { getRouteApi, Link } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import type { AttemptStoryJson, ExplainResponseJson } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { explainQuery } from "../api/queries.ts";
import { useNow } from "../parts/clock.tsx";
import { Standing } from "../parts/standing.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { Answers } from "../views/answers.tsx";
import { AttemptsAxis } from "../views/attempts-axis.tsx";
import { CoursePart } from "../views/course-part.tsx";
import { Details } from "../views/details.tsx";
import { OrderControls } from "../views/orders.tsx";
import { momentsOf, nodesText } from "../views/story.ts";
import { TimeLine } from "../views/time-line.tsx";
import { counted } from "../words/counted.ts";
import { printable } from "../words/printable.ts";
import { slurmOf, stateWord } from "../words/wire-words.ts";

const route = getRouteApi("/jobs/$jobId");

export function JobPage() {
  const { jobId } = route.useParams();
  const { attempt } = route.useSearch();
  const { data, error, refetch } = useQuery(explainQuery(jobId));
  if (data === undefined)
    return (
      <div className="page">
        <h1>Job {printable(jobId)}</h1>
        <NotYet error={error} what={`job ${jobId}`} retry={() => void refetch()} />
      </div>
    );
  return <Job jobId={jobId} answer={data} asked={attempt} />;
}

/** The one that is asked for; else the last that says something about a failure; else the newest. */
function chosenOf(attempts: readonly AttemptStoryJson[], asked: string | undefined): AttemptStoryJson | undefined {
  return (
    attempts.find(({ job }) => String(job?.attemptIndex ?? 0) === asked) ??
    attempts.findLast(({ advice = [], incident }) => advice.length > 0 || incident?.root !== undefined) ??
    attempts.at(-1)
  );
}

function Job({
  jobId,
  answer,
  asked,
}: {
  readonly jobId: string;
  readonly answer: ExplainResponseJson;
  readonly asked: string | undefined;
}) {
  const now = useNow();
  const { attempts = [], workflowId = "" } = answer;
  const newest = attempts.at(-1);
  const story = chosenOf(attempts, asked);
  if (newest === undefined || story === undefined) return <Empty title="Nothing is known of it" />;
  const index = story.job?.attemptIndex ?? 0;
  const state = stateWord(newest.job?.state);
  return (
    <div className="page job">
      <header>
        <h1>
          Job {printable(jobId)} <span className="name">{printable(newest.job?.jobName ?? "")}</span>{" "}
          <Standing of={state} />
        </h1>
        <p className="faint">
          <Link to="/workflows/$workflowId" params={{ workflowId }}>
            {printable(workflowId)}
          </Link>
          {" · "}
          {counted(attempts.length, "attempt")}
          {" · "}
          {placeText(newest)}
        </p>
        {newest.covered === true ? null : (
          <p className="note">
            <b>Not covered:</b> recovery may not touch it, because{" "}
            {printable(newest.notCoveredBecause ?? "").replace(/\.$/, "")}.
          </p>
        )}
      </header>
      <AttemptsAxis jobId={jobId} attempts={attempts} chosen={index} now={now} />
      <section aria-labelledby="answers">
        <h2 id="answers">
          Attempt {index} <Standing of={stateWord(story.job?.state)} />
        </h2>
        <Answers story={story} controls={<OrderControls jobId={jobId} story={story} />} />
      </section>
      <section aria-labelledby="story">
        <h2 id="story">What happened</h2>
        <TimeLine moments={momentsOf(attempts)} now={now} isOpen={state === "RUNNING" || state === "PENDING"} />
      </section>
      <section aria-labelledby="course">
        <h2 id="course">How the training of attempt {index} went</h2>
        <CoursePart jobId={jobId} story={story} />
      </section>
      <section aria-labelledby="details">
        <h2 id="details">All that is known of attempt {index}</h2>
        <Details story={story} />
      </section>
    </div>
  );
}

function placeText({ job }: AttemptStoryJson): string {
  const { partition, user } = slurmOf(job);
  const nodes = job?.nodes ?? [];
  const parts = [
    user,
    partition,
    nodes.length === 0 ? undefined : `${counted(nodes.length, "node")}: ${nodesText(nodes)}`,
  ];
  return printable(parts.filter((part) => part !== undefined).join(" · "));
}
