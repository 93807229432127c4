/** jobs: every scheduler job, newest first, by how it stands. */
import { useCallback } from "react";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { JobRowJson } from "@reprise/protocol/gen/reprise/v1/now_pb.ts";
import { jobsQuery, moreOf } from "../api/queries.ts";
import { Ago } from "../parts/clock.tsx";
import { ChoiceFilter, Filters, TextFilter } from "../parts/filters.tsx";
import { JobLink } from "../parts/job-link.tsx";
import { type Column, Rows } from "../parts/rows.tsx";
import { Standing } from "../parts/standing.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { printable } from "../words/printable.ts";
import { adviceSentence, statusSentence } from "../words/wire-words.ts";

const route = getRouteApi("/jobs");

const standings = [
  ["", "all"],
  ["stopped", "stopped"],
  ["recovering", "recovering"],
  ["running", "running"],
  ["waiting", "waiting"],
  ["ended", "ended"],
  ["not-covered", "not covered"],
] as const;

const columns: readonly Column<JobRowJson>[] = [
  { name: "Job", width: "minmax(9rem, 1.6fr)", cell: (job) => <JobLink jobId={job.jobId} name={job.jobName} /> },
  { name: "Stands", width: "8.5rem", cell: (job) => <Standing of={job.standing ?? ""} /> },
  { name: "Try", width: "3rem", isWide: true, cell: (job) => job.attemptIndex ?? 0 },
  { name: "Nodes", width: "4rem", isWide: true, cell: (job) => job.nodeCount ?? 0 },
  { name: "Last step", width: "6rem", isWide: true, cell: (job) => job.lastStep ?? "" },
  { name: "Recovery", width: "minmax(10rem, 2.4fr)", wraps: true, cell: (job) => <Recovery job={job} /> },
  {
    name: "Workflow",
    width: "minmax(6rem, 1fr)",
    isWide: true,
    cell: ({ workflowId = "" }) => (
      <Link to="/workflows/$workflowId" params={{ workflowId }}>
        {printable(workflowId)}
      </Link>
    ),
  },
  {
    name: "Since",
    width: "6.5rem",
    isWide: true,
    cell: (job) => <Ago at={job.endedAt ?? job.startedAt ?? job.createdAt} />,
  },
];

function Recovery({ job: { advice, stoppedBy = "", standing } }: { readonly job: JobRowJson }) {
  if (standing === "not-covered") return <span className="faint">recovery may not touch it</span>;
  if (stoppedBy !== "") return <>stopped by {stoppedBy}</>;
  if (advice === undefined) return <span className="faint">–</span>;
  return (
    <>
      {adviceSentence(advice)} <span className="faint">{statusSentence(advice)}</span>
    </>
  );
}

export function JobsPage() {
  const { standing, search, workflow } = route.useSearch();
  const navigate = route.useNavigate();
  const asked = useInfiniteQuery(jobsQuery({ standing, search, workflowId: workflow }));
  const jobs = asked.data?.pages.flatMap((page) => page.jobs ?? []) ?? [];
  const setSearch = useCallback(
    (text: string | undefined) => void navigate({ search: (before) => ({ ...before, search: text }), replace: true }),
    [navigate],
  );
  const setWorkflow = useCallback(
    (text: string | undefined) => void navigate({ search: (before) => ({ ...before, workflow: text }), replace: true }),
    [navigate],
  );
  return (
    <div className="page list">
      <h1>Jobs</h1>
      <Filters>
        <ChoiceFilter
          label="How they stand"
          value={standing}
          choices={standings}
          onChange={(value) => void navigate({ search: (before) => ({ ...before, standing: value }) })}
        />
        <TextFilter label="ID or name begins with" value={search} onChange={setSearch} />
        <TextFilter label="Workflow" value={workflow} onChange={setWorkflow} />
      </Filters>
      {asked.data === undefined ? (
        <NotYet error={asked.error} what="the jobs" retry={() => void asked.refetch()} />
      ) : jobs.length === 0 ? (
        <Empty
          title={
            standing === undefined && search === undefined && workflow === undefined
              ? "No job was ever seen"
              : "No job is like that"
          }
        >
          <p>
            A job opts in by its comment: <code>{`--comment='{"recovery": {"auto_resume_mode": "requeue"}}'`}</code>
          </p>
        </Empty>
      ) : (
        <Rows
          label="Jobs"
          rows={jobs}
          keyOf={(job) => job.heimdallJobId ?? ""}
          columns={columns}
          more={moreOf(asked)}
        />
      )}
    </div>
  );
}
