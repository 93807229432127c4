/** workflow: one training run: its jobs, what each waits for and why, and what recovery did; drawn where its jobs depend on one another. */
import "@xyflow/react/dist/base.css";
import { getRouteApi } from "@tanstack/react-router";
import { useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { explainQuery, jobsQuery, workflowQuery } from "../api/queries.ts";
import { Ago } from "../parts/clock.tsx";
import { JobLink } from "../parts/job-link.tsx";
import { Standing } from "../parts/standing.tsx";
import { NotYet } from "../parts/states.tsx";
import { Graph } from "../views/graph.tsx";
import { gatesOf, graphOf } from "../views/gates.ts";
import { printable } from "../words/printable.ts";
import { adviceSentence, statusSentence } from "../words/wire-words.ts";

const route = getRouteApi("/workflows/$workflowId");
/** Of so many the gates are asked for, one by one. */
const gatesAskedMax = 40;

export function WorkflowPage() {
  const { workflowId } = route.useParams();
  const found = useQuery(workflowQuery(workflowId));
  const listed = useInfiniteQuery(jobsQuery({ workflowId }));
  const attempts = found.data?.jobs ?? [];
  const graph = graphOf(attempts);
  const waiting = [...new Set(graph.edges.map(({ to }) => to))].slice(0, gatesAskedMax);
  const stories = useQueries({ queries: waiting.map((jobId) => explainQuery(jobId)) });
  const rows = listed.data?.pages.flatMap((page) => page.jobs ?? []) ?? [];
  if (found.data === undefined)
    return (
      <div className="page">
        <h1>Workflow {printable(workflowId)}</h1>
        <NotYet error={found.error} what={`workflow ${workflowId}`} />
      </div>
    );
  const { workflow } = found.data;
  const standing = new Map(rows.map((row) => [row.jobId ?? "", row.standing ?? ""]));
  const gates = new Map(
    stories.map(({ data }, i) => [waiting[i], data === undefined ? undefined : gatesOf(data.attempts ?? [])]),
  );
  return (
    <div className="page workflow">
      <header>
        <h1>
          Workflow {printable(workflowId)} <span className="name">{printable(workflow?.name ?? "")}</span>
        </h1>
        <p className="faint">
          began <Ago at={workflow?.startTime} />
          {workflow?.endTime === undefined ? (
            ", and lives"
          ) : (
            <>
              , ended <Ago at={workflow.endTime} />
            </>
          )}
        </p>
      </header>
      {graph.edges.length === 0 ? null : <Graph graph={graph} standing={standing} />}
      <section>
        <h2>
          Its jobs <span className="count">{rows.length}</span>
        </h2>
        <ul className="cards">
          {rows.map((row) => (
            <li key={row.heimdallJobId} className="card">
              <div className="card-head">
                <JobLink jobId={row.jobId} name={row.jobName} />
                <Standing of={row.standing ?? ""} />
                <span className="faint">attempt {row.attemptIndex ?? 0}</span>
                <span className="end">
                  <Ago at={row.endedAt ?? row.startedAt ?? row.createdAt} />
                </span>
              </div>
              <Gates gates={gates.has(row.jobId) ? gates.get(row.jobId) : []} />
              {row.advice === undefined ? null : (
                <p>
                  <b>{adviceSentence(row.advice)}</b>, because {row.advice.because}: {statusSentence(row.advice)}
                </p>
              )}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

/** Undefined: the answer is on its way, or there was none. */
function Gates({ gates }: { readonly gates: readonly string[] | undefined }) {
  if (gates === undefined)
    return <p className="faint">It waits for others; why its gates are open or closed is being asked.</p>;
  return gates.map((gate) => (
    <p key={gate}>
      <b>gate</b> {printable(gate)}
    </p>
  ));
}
