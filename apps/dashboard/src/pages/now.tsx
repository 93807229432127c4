/** now: the page for whoever is woken: does anything need a person, what is recovery doing, and can it see. */
import { Link } from "@tanstack/react-router";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { FiguresResponseJson } from "@reprise/protocol/gen/reprise/v1/figures_pb.ts";
import type { JobRowJson, NowResponseJson } from "@reprise/protocol/gen/reprise/v1/now_pb.ts";
import { figuresQuery, jobsQuery, nowQuery } from "../api/queries.ts";
import { Ago } from "../parts/clock.tsx";
import { JobLink } from "../parts/job-link.tsx";
import { Standing } from "../parts/standing.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { Words } from "../parts/words.tsx";
import { counted } from "../words/counted.ts";
import { printable } from "../words/printable.ts";
import { duration } from "../words/time.ts";
import { adviceSentence, statusSentence } from "../words/wire-words.ts";

const shownMax = 25;

export function NowPage() {
  const now = useQuery(nowQuery());
  if (now.data === undefined) return <NotYet error={now.error} what="what is going on" />;
  return (
    <div className="page now">
      <Headline now={now.data} />
      <JobSection standing="stopped" title="Needs a person" empty="Nothing waits for a person." />
      <JobSection standing="recovering" title="Being recovered" empty="Nothing is being recovered." />
      <DaySection />
    </div>
  );
}

/** One sentence that can be read from the door. It never says that all is well while something is not seen. */
function Headline({ now: { jobs = {}, blind = [], scheduler, cluster } }: { readonly now: NowResponseJson }) {
  const { running = 0, watched = 0, waiting = 0, recovering = 0, stopped = 0, deciding = 0, notCovered = 0 } = jobs;
  const needs = stopped > 0 ? `${counted(stopped, "job needs", "jobs need")} a person.` : "Nothing needs a person";
  const title =
    stopped > 0
      ? needs
      : blind.length > 0
        ? "It cannot be said that all is well: not everything is seen."
        : `${needs}${recovering + deciding > 0 ? `; ${counted(recovering + deciding, "job is", "jobs are")} being recovered` : ""}.`;
  return (
    <header className={`headline ${stopped > 0 || blind.length > 0 ? "uneasy" : "easy"}`}>
      <h1>{title}</h1>
      <p>
        <Link to="/jobs" search={{ standing: "running" }}>
          {counted(running, "covered job runs", "covered jobs run")}
        </Link>
        , logs of {watched} are read
        {waiting > 0 ? `; ${waiting} wait in the queue` : ""}
        {deciding > 0 ? `; ${deciding} failed just now, and what follows is not decided yet` : ""}
        {notCovered > 0 ? `; ${notCovered} more are not covered` : ""}. Slurm <b>{printable(cluster ?? "")}</b> was
        looked at <Ago at={scheduler?.lookedAt} />.
      </p>
    </header>
  );
}

function JobSection({
  standing,
  title,
  empty,
}: {
  readonly standing: "stopped" | "recovering";
  readonly title: string;
  readonly empty: string;
}) {
  const asked = useInfiniteQuery(jobsQuery({ standing }, shownMax));
  const jobs = asked.data?.pages[0]?.jobs ?? [];
  return (
    <section aria-labelledby={standing}>
      <h2 id={standing}>
        {title}{" "}
        {jobs.length > 0 ? (
          <span className="count">
            {jobs.length}
            {asked.hasNextPage ? "+" : ""}
          </span>
        ) : null}
      </h2>
      {asked.data === undefined ? (
        <NotYet error={asked.error} what="the jobs" />
      ) : jobs.length === 0 ? (
        <Empty title={empty} />
      ) : (
        <ul className="cards">
          {jobs.map((job) => (
            <JobCard key={job.heimdallJobId} job={job} />
          ))}
        </ul>
      )}
      {asked.hasNextPage ? (
        <Link to="/jobs" search={{ standing }}>
          All of them
        </Link>
      ) : null}
    </section>
  );
}

function JobCard({ job }: { readonly job: JobRowJson }) {
  const {
    jobId,
    jobName,
    attemptIndex = 0,
    standing = "",
    advice,
    stoppedBy = "",
    whatToDo = "",
    endedAt,
    workflowId,
  } = job;
  const line = advice?.issues?.[0]?.evidence?.[0]?.line;
  return (
    <li className="card">
      <div className="card-head">
        <JobLink jobId={jobId} name={jobName} />
        <Standing of={standing} />
        <span className="faint">
          attempt {attemptIndex}
          {workflowId === undefined || workflowId === "" ? "" : ` · ${printable(workflowId)}`}
        </span>
        <span className="end">
          <Ago at={standing === "stopped" ? endedAt : advice?.createdAt} none="" />
        </span>
      </div>
      {line === undefined || line === "" ? null : <code className="line short">{printable(line)}</code>}
      {standing === "stopped" ? (
        <p>
          <b>{stoppedBy === "" ? "Failed; nothing was advised." : `Stopped by ${stoppedBy}.`}</b>{" "}
          <Words of={whatToDo} />
        </p>
      ) : advice === undefined ? null : (
        <p>
          <b>{adviceSentence(advice)}</b>, because {advice.because}: {statusSentence(advice)}.{" "}
          <span className="faint">{printable(advice.reconciliationStatus?.message ?? "")}</span>
        </p>
      )}
    </li>
  );
}

function DaySection() {
  const { data, error } = useQuery(figuresQuery());
  return (
    <section aria-labelledby="day">
      <h2 id="day">The last 24 hours</h2>
      {data === undefined ? <NotYet error={error} what="the figures" /> : <Day figures={data} />}
    </section>
  );
}

function Day({
  figures: { recoveries = 0, byCause = [], stages = {}, times = {}, effective = {}, saved = {} },
}: {
  readonly figures: FiguresResponseJson;
}) {
  const seconds = (value: unknown) => (typeof value === "number" ? duration(value * 1_000) : "–");
  const { median, p95, count: resumed = 0 } = times.resumed ?? {};
  const ratio = typeof effective.ratio === "number" ? `${Math.round(effective.ratio * 1_000) / 10} %` : "–";
  const hours = typeof saved.hours === "number" ? Math.round(saved.hours * 10) / 10 : 0;
  const facts: readonly (readonly [string, string, string])[] = [
    [
      String(recoveries),
      "recoveries",
      `${stages.trainingResumed ?? 0} resumed, ${stages.trainingCompleted ?? 0} completed since`,
    ],
    [seconds(median), "to recover, median", `p95 ${seconds(p95)}, of ${resumed}`],
    [`${hours} h`, "saved", `against ${saved.manualRestartMinutes ?? 60} min by hand`],
    [ratio, "effective training time", `${effective.jobs ?? 0} jobs with steps`],
  ];
  return (
    <>
      <dl className="facts">
        {facts.map(([value, name, more]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <b>{value}</b>
              <span className="faint">{more}</span>
            </dd>
          </div>
        ))}
      </dl>
      {byCause.length === 0 ? null : (
        <p className="causes">
          {byCause.slice(0, 8).map(({ causeClass, outcome, count: times_ }) => (
            <span key={`${causeClass} ${outcome}`} className="chip">
              {causeClass} <span className="faint">{outcome}</span> <b>{times_}</b>
            </span>
          ))}
        </p>
      )}
    </>
  );
}
